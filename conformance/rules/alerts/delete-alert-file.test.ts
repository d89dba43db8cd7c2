import { test } from "vitest";

import { expectProblem } from "../../suite/client/api.ts";
import { send } from "../../suite/client/http-client.ts";

test.each(["x", "A".repeat(43), "01932f6e-8a00-7000-8000-3f1e5a7c9b21", "%00", "..%2F..%2Fmedia"])(
  "the id %s names no alert file: file_not_found",
  async (id) => expectProblem(await send({ method: "DELETE", path: `/api/v1/alert-files/${id}` }), 404, "file_not_found"),
);
