import { Api, type HttpResponse } from "../generated/swagger-typescript-api/api.ts";
import { tell } from "./story.ts";

await tell((baseUrl, key) => {
  const { api } = new Api({ baseUrl, baseApiParams: { headers: { Authorization: `Bearer ${key}` }, format: "json" } });
  return {
    create: async (donation) => (await api.createDonation(donation)).data.data,
    read: async (id) => (await api.getDonation(id)).data.data,
    list: async (query) => (await api.listDonations(query)).data,
    refuse: (donation) =>
      api.createDonation(donation).then(
        () => undefined,
        (reply: HttpResponse<unknown, { code: string }>) => reply.error.code,
      ),
    exportAll: async () => (await api.exportDonations({}, { format: "blob" })).data,
  };
});
