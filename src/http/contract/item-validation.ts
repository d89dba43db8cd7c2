// Lists whose items their handler validates one by one (`x-validated-per-item`), so that a faulty item does not refuse the others.

type Body = { content?: Record<string, { schema?: Schema }> };
type Schema = { properties?: Record<string, Schema>; items?: unknown; "x-validated-per-item"?: boolean };
type Paths = Record<string, Record<string, { requestBody?: Body }>>;

/** The document, in which the validators of request bodies accept any item of such a list. References must be resolved. It is changed in place. */
export function acceptAnyItem<Document extends { paths: object }>(document: Document): Document {
  for (const methods of Object.values(document.paths as Paths))
    for (const { requestBody } of Object.values(methods))
      for (const { schema } of Object.values(requestBody?.content ?? {})) if (schema) openItems(schema);
  return document;
}

function openItems({ properties = {} }: Schema): void {
  for (const list of Object.values(properties)) if (list["x-validated-per-item"]) delete list.items;
}
