import { deliverabilitySchema, spamAnalysisSchema, spamRuleSchema, verdictSchema } from "../wire/lint-schema.ts";
import { lintFindingSchema, lintReportSchema, lintRequirementSchema, profileVerdictSchema } from "../../core/lint.ts";
import {
  auditEntrySchema,
  deviceSchema,
  keySchema,
  newKeySchema,
  passwordOfDeviceSchema,
  verifiedAddressSchema,
} from "../wire/account-schema.ts";
import {
  callbackFormatSchema,
  callbackFormatsSchema,
  eventWebhookSchema,
  inboundRouteSchema,
  webhookSchema,
} from "../wire/callback-schema.ts";
import { unsubscribeCheckSchema, unsubscribeReportSchema } from "../../core/unsubscribe.ts";
import {
  callbackAttemptSchema,
  callbackDeliverySchema,
  callbackDetailSchema,
  madeDeliveriesSchema,
  replayedSchema,
} from "../wire/delivery-schema.ts";
import { errorSchema } from "../wire/error-schema.ts";
import { explainedSearchSchema, understoodQuerySchema } from "../wire/explanation-schema.ts";
import { failedCriterionSchema, nearMissSchema, searchExplanationSchema } from "../../core/search-explanation.ts";
import { queryTermSchema } from "../../core/search/parse-query.ts";
import { faultSchema } from "../wire/fault-schema.ts";
import { heldSchema } from "../../operations/inbound/list-held.ts";
import { journeyResultSchema, stepResultSchema } from "../wire/journey-schema.ts";
import { duplicateDifferenceSchema, duplicateGroupSchema, duplicateMessageSchema } from "../../core/duplicates.ts";
import { journeyFailureSchema } from "../../core/journey.ts";
import {
  markedMessageSchema,
  markResultSchema,
  marksSchema,
  taggingSchema,
  tagRuleSchema,
  tagSchema,
} from "../wire/mark-schema.ts";
import {
  attachmentSchema,
  codeSchema,
  contactSchema,
  headerFieldSchema,
  htmlContentSchema,
  imageSchema,
  linkSchema,
  messageSchema,
  metadataSchema,
  providerOriginSchema,
  summarySchema,
  textContentSchema,
} from "../../core/message.ts";
import { deliverySchema } from "../../core/delivery.ts";
import { segmentationSchema } from "../../core/sms.ts";
import { transcriptEntrySchema, transcriptSchema } from "../../operations/messages/get-transcript.ts";
import { emailClientSchema, formerClientSchema, previewSchema } from "../wire/preview-schema.ts";
import { scannerSchema } from "../wire/scanner-schema.ts";
import { scanRequestSchema, scanSchema } from "../../core/scanner.ts";
import type { WireSchema } from "../../core/schema.ts";
import { deletionResultSchema, savedSearchSchema, searchSuggestionSchema } from "../wire/search-schema.ts";
import {
  newServerSchema,
  passwordSchema,
  serverSchema,
  transactionSchema,
  usageLimitSchema,
  usageLimitsSchema,
  zoneSchema,
} from "../wire/server-schema.ts";
import { quotaSchema, retentionSchema, usageSchema } from "../../core/server.ts";
import { numberSchema, phrasesSchema } from "../wire/sms-schema.ts";
import { quarantineSchema, statusSchema, taskSchema } from "../wire/status-schema.ts";

/** Schemas of everything but messages, in the order of the document. */
export const accountSchemas: readonly WireSchema<unknown>[] = [
  retentionSchema,
  quotaSchema,
  usageSchema,
  serverSchema,
  newServerSchema,
  passwordSchema,
  keySchema,
  newKeySchema,
  verifiedAddressSchema,
  numberSchema,
  phrasesSchema,
  faultSchema,
  heldSchema,
  scannerSchema,
  scanRequestSchema,
  scanSchema,
  webhookSchema,
  eventWebhookSchema,
  inboundRouteSchema,
  callbackFormatSchema,
  callbackFormatsSchema,
  callbackAttemptSchema,
  callbackDeliverySchema,
  callbackDetailSchema,
  madeDeliveriesSchema,
  replayedSchema,
  zoneSchema,
  deviceSchema,
  passwordOfDeviceSchema,
  usageLimitSchema,
  usageLimitsSchema,
  transactionSchema,
  auditEntrySchema,
  taskSchema,
  quarantineSchema,
  statusSchema,
  errorSchema,
];

/** Schemas of messages, of searches and journeys, and of what is read from a message, in the order of the document. */
export const messageSchemas: readonly WireSchema<unknown>[] = [
  contactSchema,
  linkSchema,
  codeSchema,
  imageSchema,
  htmlContentSchema,
  textContentSchema,
  attachmentSchema,
  headerFieldSchema,
  metadataSchema,
  summarySchema,
  unsubscribeCheckSchema,
  unsubscribeReportSchema,
  duplicateMessageSchema,
  duplicateDifferenceSchema,
  duplicateGroupSchema,
  failedCriterionSchema,
  nearMissSchema,
  queryTermSchema,
  searchExplanationSchema,
  understoodQuerySchema,
  explainedSearchSchema,
  stepResultSchema,
  journeyFailureSchema,
  journeyResultSchema,
  deliverySchema,
  providerOriginSchema,
  segmentationSchema,
  messageSchema,
  marksSchema,
  markedMessageSchema,
  markResultSchema,
  tagSchema,
  tagRuleSchema,
  taggingSchema,
  savedSearchSchema,
  searchSuggestionSchema,
  deletionResultSchema,
  transcriptEntrySchema,
  transcriptSchema,
  spamRuleSchema,
  spamAnalysisSchema,
  verdictSchema,
  deliverabilitySchema,
  lintFindingSchema,
  lintRequirementSchema,
  profileVerdictSchema,
  lintReportSchema,
  emailClientSchema,
  previewSchema,
  formerClientSchema,
];
