import type { FormEvent } from "react";
import { Faults, useAction } from "../parts";
import { goTo } from "../router";
import { signIn } from "../session";

export function SignIn() {
  const { busy, error, run } = useAction(async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget);
    await signIn(String(values.get("email")), String(values.get("password")));
    // On another screen’s URL, that screen follows.
    if (location.hash.startsWith("#/sign-in")) goTo("");
  });
  return (
    <>
      <title>Sign in</title>
      <h1>Sign in</h1>
      <form onSubmit={run}>
        <label>
          E-mail
          <input name="email" type="email" required autoComplete="username" />
        </label>
        <label>
          Password
          <input name="password" type="password" required autoComplete="current-password" />
        </label>
        <Faults error={error} />
        <button type="submit" disabled={busy}>
          Sign in
        </button>
      </form>
      <p className="small">
        With the sample content: ada@example.com, noor@example.com or lucia@example.com, and “sample password”.
      </p>
    </>
  );
}
