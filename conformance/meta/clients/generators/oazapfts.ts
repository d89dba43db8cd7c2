import { createDonation, defaults, exportDonations, getDonation, listDonations } from "../generated/oazapfts/api.ts";
import { tell } from "./story.ts";

await tell((baseUrl, key) => {
  Object.assign(defaults, { baseUrl, headers: { Authorization: `Bearer ${key}` } });
  return {
    create: async (donation) => {
      const reply = await createDonation(donation);
      return reply.status === 201 ? reply.data.data : undefined;
    },
    read: async (id) => {
      const reply = await getDonation(id);
      return reply.status === 200 ? reply.data.data : undefined;
    },
    list: async (query) => {
      const reply = await listDonations(query);
      return reply.status === 200 ? reply.data : undefined;
    },
    refuse: async (donation) => {
      const reply = await createDonation(donation);
      return reply.status === 400 ? reply.data.code : undefined;
    },
    exportAll: async () => {
      const reply = await exportDonations();
      return reply.status === 200 ? reply.data : undefined;
    },
  };
});
