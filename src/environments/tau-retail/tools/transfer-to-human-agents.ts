import { defineTool } from "../tool.ts";

export const transferToHumanAgents = defineTool({
  name: "transfer_to_human_agents",
  className: "TransferToHumanAgents",
  description: "Hands the customer over to a person, which ends the episode.",
  parameters: { summary: { type: "string", description: "What the customer wants, for the person who takes over." } },
  mutates: false,
  access: "public",
  ends: true,
  run: () => "Transfer successful",
});
