import type { ReactElement } from "react";
import { Field, fieldsOf, optionsOf, SelectField } from "../shared/field.tsx";
import { pageStrings } from "../page-strings.ts";
import type { Role, Team, TeamRequest } from "../wire.ts";

/** Fields of a team that are typed. */
export interface TeamDraft {
  readonly name: string;
  /** Empty for none. */
  readonly externalId: string;
  readonly role: Role;
}

/** Fields of a new team. */
export const emptyTeam: TeamDraft = { name: "", externalId: "", role: "tester" };

/** Returns the fields of a team. */
export function teamDraftOf({ name, externalId, role }: Team): TeamDraft {
  return { name, externalId: externalId ?? "", role };
}

/** Returns the request of the fields. */
export function teamRequestOf({ name, externalId, role }: TeamDraft): TeamRequest {
  return { name: name.trim(), externalId: externalId.trim() || null, role };
}

/** Fields of a team. */
export function TeamFields(props: {
  readonly draft: TeamDraft;
  readonly onChange: (draft: TeamDraft) => void;
}): ReactElement {
  const { draft, onChange } = props;
  const field = fieldsOf(draft, onChange);
  const labels = pageStrings.teams;
  return (
    <>
      <Field label={labels.name} required maxLength={200} {...field("name")} />
      <Field label={labels.externalId} maxLength={1000} placeholder={labels.externalIdHint} {...field("externalId")} />
      <SelectField label={labels.groupRole} options={optionsOf(labels.roles)} {...field("role")} />
    </>
  );
}
