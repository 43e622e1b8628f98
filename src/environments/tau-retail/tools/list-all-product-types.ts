import { byCodePoint, dumps } from "../python.ts";
import { defineTool } from "../tool.ts";

export const listAllProductTypes = defineTool({
  name: "list_all_product_types",
  className: "ListAllProductTypes",
  description: "Lists every product's name and id.",
  parameters: {},
  mutates: false,
  access: "public",
  run(draft) {
    // Of two products of one name the last in the file counts.
    const ids = new Map([...draft.products.values()].map(({ name, product_id }) => [name, product_id]));
    return dumps(Object.fromEntries([...ids].toSorted(([left], [right]) => byCodePoint(left, right))));
  },
});
