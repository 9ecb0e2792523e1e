import { faultSchema } from "../wire/fault-schema.ts";
import { scannerSchema, scanRequestSchema, scanSchema } from "../wire/scanner-schema.ts";
import { auditEntrySchema } from "../wire/audit-schema.ts";
import {
  callbackFormatSchema,
  callbackFormatsSchema,
  eventWebhookSchema,
  inboundRouteSchema,
  webhookSchema,
} from "../wire/callback-schema.ts";
import {
  callbackAttemptSchema,
  callbackDeliverySchema,
  callbackDetailSchema,
  madeDeliveriesSchema,
  replayedSchema,
} from "../wire/delivery-schema.ts";
import { deviceSchema, passwordOfDeviceSchema } from "../wire/device-schema.ts";
import { errorSchema } from "../wire/error-schema.ts";
import { heldSchema } from "../wire/fault-schema.ts";
import { keySchema, newKeySchema } from "../wire/key-schema.ts";
import { numberSchema, phrasesSchema } from "../wire/sms-schema.ts";
import { verifiedAddressSchema } from "../wire/verified-address-schema.ts";
import {
  newServerSchema,
  passwordSchema,
  quotaSchema,
  retentionSchema,
  serverSchema,
  usageSchema,
} from "../wire/server-schema.ts";
import { quarantineSchema } from "../wire/status-schema.ts";
import { statusSchema, taskSchema } from "../wire/status-schema.ts";
import { transactionSchema, usageLimitSchema, usageLimitsSchema } from "../wire/server-schema.ts";
import { zoneSchema } from "../wire/server-schema.ts";
import type { WireSchema } from "../wire/schema.ts";

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
