import { findUser } from "../lookups.ts";
import { USER_ID } from "../parameters.ts";
import { dumps } from "../python.ts";
import { defineTool } from "../tool.ts";

export const getUserDetails = defineTool({
  name: "get_user_details",
  className: "GetUserDetails",
  description: "Shows a customer: address, payment methods, orders.",
  parameters: { user_id: USER_ID },
  mutates: false,
  access: "customer",
  run: (draft, argument) => dumps(findUser(draft, argument("user_id")).record),
});
