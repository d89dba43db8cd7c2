import createClient from "openapi-fetch";
import type { paths } from "../generated/openapi-typescript/schema.ts";
import { tell } from "./story.ts";

await tell((baseUrl, key) => {
  const api = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });
  return {
    create: async (body) => (await api.POST("/api/v1/donations", { body })).data?.data,
    read: async (donationId) => (await api.GET("/api/v1/donations/{donationId}", { params: { path: { donationId } } })).data?.data,
    list: async (query) => (await api.GET("/api/v1/donations", { params: { query } })).data,
    refuse: async (body) => (await api.POST("/api/v1/donations", { body })).error?.code,
    exportAll: async () => (await api.GET("/api/v1/donations/export", { parseAs: "blob" })).data,
  };
});
