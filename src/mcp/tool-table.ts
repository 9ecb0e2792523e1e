import { getAttachmentTool } from "./tools/attachment.ts";
import { lintTool } from "./tools/check.ts";
import { replyTool, sendTool } from "./tools/compose.ts";
import { explainNoMatchTool, listMessagesTool, searchMessagesTool } from "./tools/find-messages.ts";
import { previewTool } from "./tools/preview.ts";
import { getCodeTool, getLinksTool, getMessageTool } from "./tools/read-message.ts";
import { createServerTool, listServersTool } from "./tools/servers.ts";
import { receiveSmsTool } from "./tools/sms.ts";
import { waitForMessageTool, waitForNothingTool } from "./tools/wait.ts";
import type { Tool } from "./tool.ts";

/** Every tool, in the order of lists. */
export const toolTable: readonly Tool[] = [
  createServerTool,
  listServersTool,
  listMessagesTool,
  searchMessagesTool,
  waitForMessageTool,
  waitForNothingTool,
  getMessageTool,
  getCodeTool,
  getLinksTool,
  getAttachmentTool,
  explainNoMatchTool,
  sendTool,
  replyTool,
  receiveSmsTool,
  lintTool,
  previewTool,
];
