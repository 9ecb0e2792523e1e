import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactElement } from "react";
import { ApiError } from "../api/client.ts";
import { sessionKey, signIn, wasLinkRejected } from "../api/session.ts";
import { Field } from "../shared/field.tsx";
import stamp from "../shared/stamp.svg";
import { strings } from "../strings.ts";

/** Asks for a key. */
export function SignInPage(): ReactElement {
  const [key, setKey] = useState("");
  const cache = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: signIn,
    onSuccess: async () => cache.invalidateQueries({ queryKey: sessionKey }),
  });
  const words = strings.signIn;
  return (
    <main className="sign-in" id="content">
      <form
        className="panel"
        onSubmit={(event) => {
          event.preventDefault();
          mutate(key.trim());
        }}
      >
        <div className="brand">
          <img src={stamp} alt="" />
          <b>{strings.product}</b>
        </div>
        <div className="stack tight">
          <h1>{words.title}</h1>
          <p className="soft">{words.lead}</p>
        </div>
        <Field
          label={words.key}
          type="password"
          autoComplete="current-password"
          required
          value={key}
          onChange={(event) => {
            setKey(event.target.value);
          }}
        />
        {error === null && wasLinkRejected() && (
          <p className="bad" role="alert">
            {words.usedLink}
          </p>
        )}
        {error !== null && (
          <p className="bad" role="alert">
            {refusalText(error)}
          </p>
        )}
        <button type="submit" className="button primary" disabled={isPending}>
          {words.submit}
        </button>
        <p className="faint small">{words.where}</p>
      </form>
    </main>
  );
}

function refusalText(error: Error): string {
  const status = error instanceof ApiError ? error.status : 0;
  if (status === 401) return strings.signIn.wrong;
  return status === 429 ? strings.signIn.many : strings.failed(error.message);
}
