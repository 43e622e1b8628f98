import { findProduct } from "../lookups.ts";
import { dumps } from "../python.ts";
import { defineTool } from "../tool.ts";

export const getProductDetails = defineTool({
  name: "get_product_details",
  className: "GetProductDetails",
  description: "Shows a product's variants with options, price and whether each is in stock.",
  parameters: { product_id: { type: "string", description: "Product id, which is not an item id (for example 6086499569)." } },
  mutates: false,
  access: "public",
  run: (draft, argument) => dumps(findProduct(draft, argument("product_id")).record),
});
