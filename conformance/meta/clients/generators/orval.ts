import { createDonation, exportDonations, getDonation, listDonations } from "../generated/orval/api.ts";
import { tell } from "./story.ts";

// Its client for fetch asks for paths: the address is that of the page, or of a proxy. Here fetch is given it.
await tell((url, key) => {
  const { fetch } = globalThis;
  globalThis.fetch = (path, init) => fetch(`${url}${String(path)}`, init);
  const options = { headers: { Authorization: `Bearer ${key}` } };
  return {
    create: async (donation) => {
      const reply = await createDonation(donation, options);
      return reply.status === 201 ? reply.data.data : undefined;
    },
    read: async (id) => {
      const reply = await getDonation(id, options);
      return reply.status === 200 ? reply.data.data : undefined;
    },
    list: async (query) => {
      const reply = await listDonations(query, options);
      return reply.status === 200 ? reply.data : undefined;
    },
    refuse: async (donation) => {
      const reply = await createDonation(donation, options);
      return reply.status === 400 ? reply.data.code : undefined;
    },
    exportAll: async () => {
      const reply = await exportDonations({}, options);
      return reply.status === 200 ? reply.data : undefined;
    },
  };
});
