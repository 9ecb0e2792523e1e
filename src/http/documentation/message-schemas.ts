import { deliverabilitySchema, spamAnalysisSchema, spamRuleSchema, verdictSchema } from "../wire/analysis-schema.ts";
import { duplicateDifferenceSchema, duplicateGroupSchema, duplicateMessageSchema } from "../wire/journey-schema.ts";
import {
  explainedSearchSchema,
  failedCriterionSchema,
  nearMissSchema,
  queryTermSchema,
  searchExplanationSchema,
  understoodQuerySchema,
} from "../wire/explanation-schema.ts";
import { journeyFailureSchema, journeyResultSchema, stepResultSchema } from "../wire/journey-schema.ts";
import { deletionResultSchema, savedSearchSchema } from "../wire/search-schema.ts";
import { searchSuggestionSchema } from "../wire/search-schema.ts";
import { tagRuleSchema, taggingSchema } from "../wire/mark-schema.ts";
import { markedMessageSchema, markResultSchema, marksSchema, tagSchema } from "../wire/mark-schema.ts";
import {
  lintFindingSchema,
  lintReportSchema,
  lintRequirementSchema,
  profileVerdictSchema,
} from "../wire/lint-schema.ts";
import {
  attachmentSchema,
  codeSchema,
  contactSchema,
  deliverySchema,
  providerOriginSchema,
  headerFieldSchema,
  htmlContentSchema,
  imageSchema,
  linkSchema,
  messageSchema,
  metadataSchema,
  segmentationSchema,
  summarySchema,
  textContentSchema,
} from "../wire/message-schema.ts";
import { emailClientSchema, formerClientSchema, previewSchema } from "../wire/preview-schema.ts";
import { transcriptEntrySchema, transcriptSchema } from "../wire/transcript-schema.ts";
import { unsubscribeCheckSchema, unsubscribeReportSchema } from "../wire/compose-schema.ts";
import type { WireSchema } from "../wire/schema.ts";

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
