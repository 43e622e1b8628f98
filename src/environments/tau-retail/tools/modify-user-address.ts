import { findUser } from "../lookups.ts";
import { ADDRESS, USER_ID } from "../parameters.ts";
import { dumps } from "../python.ts";
import { defineTool } from "../tool.ts";

export const modifyUserAddress = defineTool({
  name: "modify_user_address",
  className: "ModifyUserAddress",
  description: "Changes a customer's own address; orders keep theirs.",
  parameters: { user_id: USER_ID, ...ADDRESS },
  mutates: true,
  access: "customer",
  run(draft, argument) {
    const { id, record: user } = findUser(draft, argument("user_id"));
    const address = {
      address1: argument("address1"), address2: argument("address2"), city: argument("city"),
      state: argument("state"), country: argument("country"), zip: argument("zip"),
    };
    const modified = { ...user, address };
    draft.putUser(id, modified);
    return dumps(modified);
  },
});
