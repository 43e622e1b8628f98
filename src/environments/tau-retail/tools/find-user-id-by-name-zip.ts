import { Refusal } from "../lookups.ts";
import { ZIP } from "../parameters.ts";
import { equal, item, lower } from "../python.ts";
import { defineTool } from "../tool.ts";

export const findUserIdByNameZip = defineTool({
  name: "find_user_id_by_name_zip",
  className: "FindUserIdByNameZip",
  description: "Finds a customer's id by name and zip code, where the email address is not known.",
  parameters: {
    first_name: { type: "string", description: "First name; case does not matter." },
    last_name: { type: "string", description: "Last name; case does not matter." },
    zip: ZIP,
  },
  mutates: false,
  access: "identifies",
  run(draft, argument) {
    for (const [id, { name, address }] of draft.users) {
      if (
        lower(name.first_name) === lower(argument("first_name")) &&
        lower(name.last_name) === lower(argument("last_name")) &&
        equal(item(address, "zip"), argument("zip"))
      ) {
        return id;
      }
    }
    throw new Refusal("Error: user not found");
  },
});
