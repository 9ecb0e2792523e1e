import type { EmailCheck } from "./email-check.test-aid.ts";
import { errorChecks } from "./email-error-checks.test-aid.ts";
import { featureChecks, templateChecks } from "./email-feature-checks.test-aid.ts";
import { fieldChecks } from "./email-field-checks.test-aid.ts";

/** All checks of mail providers. */
export const emailChecks: readonly EmailCheck[] = [...fieldChecks, ...featureChecks, ...templateChecks, ...errorChecks];
