import { defineTool } from "../tool.ts";

export const think = defineTool({
  name: "think",
  className: "Think",
  description: "Notes a thought; looks nothing up and changes nothing.",
  parameters: { thought: { type: "string", description: "The thought." } },
  mutates: false,
  access: "public",
  run: () => "",
});
