import { Refusal } from "../lookups.ts";
import { lower } from "../python.ts";
import { defineTool } from "../tool.ts";

export const findUserIdByEmail = defineTool({
  name: "find_user_id_by_email",
  className: "FindUserIdByEmail",
  description: "Finds a customer's id by email address.",
  parameters: { email: { type: "string", description: "Email address; case does not matter." } },
  mutates: false,
  access: "identifies",
  run(draft, argument) {
    for (const [id, { email }] of draft.users) if (lower(email) === lower(argument("email"))) return id;
    throw new Refusal("Error: user not found");
  },
});
