import { isAxiosError } from "axios";
import { createDonation, exportDonations, getDonation, listDonations } from "../generated/kubb/index.ts";
import { tell } from "./story.ts";

await tell((baseURL, key) => {
  const config = { baseURL, headers: { Authorization: `Bearer ${key}` } };
  return {
    create: async (donation) => (await createDonation(donation, config)).data,
    read: async (id) => (await getDonation(id, config)).data,
    list: (query) => listDonations(query, config),
    refuse: (donation) =>
      createDonation(donation, config).then(
        () => undefined,
        (error: unknown) => isAxiosError(error) && error.response?.data.code,
      ),
    exportAll: async () => new Blob([await exportDonations({}, { ...config, responseType: "arraybuffer" })]),
  };
});
