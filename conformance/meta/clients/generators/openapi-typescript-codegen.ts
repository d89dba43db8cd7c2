import { ApiError, DonationsService, OpenAPI } from "../generated/openapi-typescript-codegen/index.ts";
import { tell } from "./story.ts";

await tell((url, key) => {
  Object.assign(OpenAPI, { BASE: url, TOKEN: key });
  return {
    create: async (donation) => (await DonationsService.createDonation(donation)).data,
    read: async (id) => (await DonationsService.getDonation(id)).data,
    list: ({ limit, cursor }) => DonationsService.listDonations(limit, cursor),
    refuse: (donation) =>
      DonationsService.createDonation(donation).then(
        () => undefined,
        (error: unknown) => error instanceof ApiError && error.body.code,
      ),
    exportAll: async () => new Blob([await DonationsService.exportDonations()]),
  };
});
