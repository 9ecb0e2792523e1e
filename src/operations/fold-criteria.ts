import type { Criteria } from "../core/criteria.ts";
import { invalidField } from "../core/errors.ts";
import { checkAll, FieldCollector } from "../core/field-collector.ts";
import { foldAddress, foldText } from "../core/fold.ts";
import type { FoldedCriteria } from "../store/store.ts";

/**
 * The criteria in the form in which they are compared; throws a 400 that names the field, also where nothing of a text is
 * left to compare, which would match every message.
 */
export function foldCriteria(criteria: Criteria, searchTextLengthMax: number): FoldedCriteria {
  const { sentFrom, sentTo, subject, body, match } = criteria;
  checkLengths({ sentFrom, sentTo, subject, body }, searchTextLengthMax);
  if (sentFrom === undefined && sentTo === undefined && subject === undefined && body === undefined) {
    throw invalidField("criteria", "Give at least one of sentFrom, sentTo, subject and body", "required");
  }
  const folded = {
    ...(sentFrom !== undefined && { sentFrom: foldAddress(sentFrom) }),
    ...(sentTo !== undefined && { sentTo: foldAddress(sentTo) }),
    ...(subject !== undefined && { subject: foldText(subject) }),
    ...(body !== undefined && { body: foldText(body) }),
    match,
  };
  checkAll(
    () => requireText("subject", folded),
    () => requireText("body", folded),
  );
  return folded;
}

function requireText(field: "subject" | "body", folded: FoldedCriteria): void {
  if (folded[field] !== "") return;
  throw invalidField(field, "Must have a character other than NUL, which texts to search do not keep");
}

function checkLengths(texts: Readonly<Record<string, string | undefined>>, lengthMax: number): void {
  const errors = new FieldCollector();
  const description = `At most ${String(lengthMax)} characters can be searched for`;
  for (const [field, value] of Object.entries(texts)) {
    if (value !== undefined && value.length > lengthMax) errors.add({ field, description, code: "too_long" });
  }
  errors.finish();
}
