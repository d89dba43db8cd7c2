import { expect, test } from "vitest";

import { create, createRaw, get, readDonation, recorded } from "../../suite/client/api.ts";
import { holdsForAll } from "../../suite/client/holds.ts";
import { members } from "../../suite/contract/interface.ts";
import { donation, freshKey } from "../../suite/values/donations.ts";
import { about } from "../../suite/values/score.ts";
import { spellings } from "../../suite/values/spellings.ts";

const texts = members.filter(({ maxLength }) => maxLength !== undefined).map(({ member }) => member);

/** Texts that languages without types take for nothing, for a number or for a boolean, and libraries for a date or for JSON. */
const valuesAsTexts = [
  ...["0", "00", "-1", "1e3", "0x10", "NaN", "null", "undefined", "false"],
  ...["2026-11-20T19:30:00+07:00", "2026-11-20", "/Date(1795203000000)/", '{"a":1}', "[1]"],
];

/** The same JSON with every character beyond ASCII as an escape. */
const escaped = (json: string): string => json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

test.each(texts)(
  "%s is stored and answered exactly as it was sent: every line end, normal form, case, blank and unseen character, blanks alone, and texts that read as a number, a boolean, null, a date or JSON",
  async (member) => {
    about(member);
    await holdsForAll([...spellings, ...valuesAsTexts, " ", "\n", "\u3000", "\u200b", "\t \r\n"], async (spelling) => {
      const text = (): string => (member === "idempotencyKey" ? `${freshKey()}${spelling}` : spelling);
      for (const send of [create, (body: unknown) => createRaw(escaped(JSON.stringify(body)))]) {
        const sent = { [member]: text() };
        const original = recorded(await send(donation({ skipAlert: true, ...sent })));
        expect(original).toMatchObject(sent);
        expect(readDonation(await get(original.id))).toMatchObject(sent);
      }
    });
  },
);
