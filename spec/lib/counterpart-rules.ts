// Rules for declarations that need another one elsewhere in the contract.

import type { Namespace, Program, Type } from "@typespec/compiler";
import { valuesOf } from "./models.ts";
import type { Finding } from "./type-rules.ts";

/** What createDonation takes is always answered: a member of ExternalDonation is a member of Donation, too, and null when it is not set. */
export function requireAnsweredMembers(_: Program, { models }: Namespace): Finding[] {
  const [sent, answered] = [models.get("ExternalDonation"), models.get("Donation")];
  if (!sent || !answered) return [];
  const lost = [...sent.properties.values()].filter(({ name }) => !answered.properties.has(name));
  const optional = [...answered.properties.values()].filter((member) => member.optional);
  return [
    ...lost.map((target) => ({
      target,
      message: `${target.name} is a member of ExternalDonation that Donation lacks, so that no client can read it back: add it to Donation in spec/donations.tsp, and to its example.`,
    })),
    ...optional.map((target) => ({
      target,
      message: `${target.name} is optional in Donation, whose unset members are null and never absent: write ${target.name}: … | null, and add it to the example.`,
    })),
  ];
}

/** Every type of event has a model in the union Event: documents of events and webhooks are made from it. */
export function requireEventModels(_: Program, { enums, unions }: Namespace): Finding[] {
  const event = unions.get("Event");
  const described = (event ? valuesOf(event) : []).flatMap(typesOfEvent);
  const silent = [...(enums.get("EventType")?.members.values() ?? [])].filter((member) => !described.includes(member));
  return silent.map((target) => ({
    target,
    message: `The type of event ${target.name} has no model in the union Event: add it to the types of a model there (spec/events.tsp), or add a model.`,
  }));
}

function typesOfEvent(model: Type): Type[] {
  const type = model.kind === "Model" ? model.properties.get("type")?.type : undefined;
  return type ? valuesOf(type).flatMap((one) => (one.kind === "Enum" ? [...one.members.values()] : [one])) : [];
}
