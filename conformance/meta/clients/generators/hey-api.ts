import { client } from "../generated/hey-api/client.gen.ts";
import { createDonation, exportDonations, getDonation, listDonations } from "../generated/hey-api/sdk.gen.ts";
import { tell } from "./story.ts";

await tell((baseUrl, auth) => {
  client.setConfig({ baseUrl, auth });
  return {
    create: async (body) => (await createDonation({ body })).data?.data,
    read: async (donationId) => (await getDonation({ path: { donationId } })).data?.data,
    list: async (query) => (await listDonations({ query })).data,
    refuse: async (body) => (await createDonation({ body })).error?.code,
    exportAll: async () => (await exportDonations()).data,
  };
});
