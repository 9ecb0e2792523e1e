import type { ReactElement } from "react";
import { CheckField, Field, fieldsOf } from "../shared/field.tsx";
import { pageStrings } from "../page-strings.ts";
import type { User, UserUpdate } from "../wire.ts";

/** Fields of a user that are typed. */
export type UserDraft = Pick<User, "email" | "name" | "isOwner">;

/** Fields of a new user. */
export const emptyUser: UserDraft = { email: "", name: "", isOwner: false };

/** Returns the request of the fields. */
export function userRequestOf({ email, name, isOwner }: UserDraft): UserUpdate {
  return { email: email.trim(), name: name.trim(), isOwner };
}

/** Fields of a user. */
export function UserFields(props: {
  readonly draft: UserDraft;
  readonly onChange: (draft: UserDraft) => void;
}): ReactElement {
  const { draft, onChange } = props;
  const field = fieldsOf(draft, onChange);
  const labels = pageStrings.users;
  return (
    <>
      <Field label={labels.email} type="email" required {...field("email")} />
      <Field label={labels.name} maxLength={200} {...field("name")} />
      <CheckField label={labels.ownerHint} {...field("isOwner")} />
    </>
  );
}
