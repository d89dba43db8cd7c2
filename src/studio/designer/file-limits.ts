// The limits of images and sounds for alerts, as the designer's texts name them.

import { maxFileBytes, maxItemsOfList, maxTotalFileBytes } from "../../http/contract/published.ts";

const mebibyte = 2 ** 20;

export const fileSize = `${maxFileBytes / mebibyte} MiB`;
export const totalSize = `${maxTotalFileBytes / mebibyte} MiB`;
export const fileCount = maxItemsOfList("AlertFiles");
