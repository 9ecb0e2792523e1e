import type { Criteria } from "../core/criteria.ts";
import { invalidField } from "../core/errors.ts";
import { FieldCollector } from "../core/field-collector.ts";
import { foldAddress, foldText } from "../core/fold.ts";
import type { FoldedCriteria } from "../store/store.ts";

/**
 * Returns the criteria in the form in which they are compared; throws a 400 that names the field, also for a NUL: texts to
 * search do not keep any, so that nothing could match it.
 */
export function foldCriteria(criteria: Criteria, searchTextLengthMax: number): FoldedCriteria {
  const { sentFrom, sentTo, subject, body, match } = criteria;
  checkTexts({ sentFrom, sentTo, subject, body }, searchTextLengthMax);
  if (sentFrom === undefined && sentTo === undefined && subject === undefined && body === undefined) {
    throw invalidField("criteria", "Give at least one of sentFrom, sentTo, subject and body", "required");
  }
  return {
    ...(sentFrom !== undefined && { sentFrom: foldAddress(sentFrom) }),
    ...(sentTo !== undefined && { sentTo: foldAddress(sentTo) }),
    ...(subject !== undefined && { subject: foldText(subject) }),
    ...(body !== undefined && { body: foldText(body) }),
    match,
  };
}

function checkTexts(texts: Readonly<Record<string, string | undefined>>, lengthMax: number): void {
  const errors = new FieldCollector();
  const description = `At most ${String(lengthMax)} characters can be searched for`;
  for (const [field, value] of Object.entries(texts)) {
    if (value === undefined) continue;
    if (value.length > lengthMax) errors.add({ field, description, code: "too_long" });
    else if (value.includes("\0")) errors.add({ field, description: "Must not contain NUL", code: "invalid" });
  }
  errors.finish();
}
