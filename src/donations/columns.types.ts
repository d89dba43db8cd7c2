// A test that only the compiler runs (`make check`): each line below a directive must fail to compile, and the rest must pass.

import { type Columns, columns } from "./columns.ts";
import { type NewDonation, type newDonation, type StoredDonation, toRecord } from "./donation.ts";

const { message: _message, ...withoutMessage } = columns;
const { message } = columns;

// @ts-expect-error a member of the contract without a column
export const missingColumn: Columns = withoutMessage;

// @ts-expect-error a text in a column of numbers
export const wrongType: Columns = { ...columns, message: { ...message, type: "numeric" } };

// @ts-expect-error a column that does not say whether it is compared
export const undecided: Columns = { ...columns, message: { name: "message", type: "text" } };

declare const created: ReturnType<typeof newDonation>;
const { message: _createdMessage, ...withoutCreatedMessage } = created;

// @ts-expect-error a member that is not read from the request
export const notFromRequest: NewDonation = withoutCreatedMessage;

declare const stored: StoredDonation;
const { message: _storedMessage, ...withoutStoredMessage } = stored;

// @ts-expect-error a member that is not read from the row
export const notFromRow = toRecord(withoutStoredMessage, "");

export const complete: Columns = columns;
