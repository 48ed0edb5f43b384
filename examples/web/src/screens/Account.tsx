import { useMutation, useQuery } from "@apollo/client/react";
import { useEffect, useState } from "react";
import { Action, Field, Form } from "../forms";
import { graphql } from "../graphql";
import { viewerFragment, Waiting } from "../parts";
import { goToProvider, hasProvider } from "../provider";
import { goTo } from "../router";
import { resetPassword, signIn, signInByProvider, signUp } from "../session";

/* Signing in and up, and the pages that a mail links to. */

const welcomeQuery = graphql(`query Welcome { me { ...Viewer email } }`, [viewerFragment]);
const resendMutation = graphql(`
  mutation RequestEmailVerification { requestEmailVerification { success } }
`);
const confirmMutation = graphql(`
  mutation ConfirmEmail($token: String!) { confirmEmail(token: $token) { id } }
`);
const forgotMutation = graphql(`
  mutation RequestPasswordReset($email: String!) { requestPasswordReset(email: $email) { success } }
`);

const email = { name: "email", label: "Email", type: "email", required: true, autoComplete: "username" };
const password = { name: "password", label: "Password", type: "password", required: true };
/** Where nobody sends mails, the service shows them. */
const outbox = import.meta.env.DEV && (
  <p className="small">
    In development nobody sends mails. They are at the link “Mails” that the service prints at its start; with{" "}
    <code>&amp;app={location.origin}</code> they lead here.
  </p>
);

/** Also in place of a screen that needs a user: then that screen follows. */
export function SignIn() {
  return (
    <>
      <title>Sign in</title>
      <h1>Sign in</h1>
      <Form
        submit="Sign in"
        act={async ({ email = "", password = "" }) => {
          await signIn(email, password);
          if (location.pathname === "/sign-in") goTo("");
        }}
      >
        <Field {...email} />
        <Field {...password} autoComplete="current-password" />
      </Form>
      {hasProvider && <Action act={goToProvider}>Sign in with your organisation</Action>}
      <p>
        <a href="/forgot-password">Forgot your password?</a> · <a href="/sign-up">New here? Sign up</a>
      </p>
      {import.meta.env.DEV && (
        <p className="small">
          With the sample content: ada@example.com, noor@example.com (an admin) or lucia@example.com, and “sample
          password”.
        </p>
      )}
    </>
  );
}

/** Once, though React may ask twice: a code works once. */
let signingIn: Promise<void> | undefined;

/** The page to which an identity provider leads back. */
export function SignedIn() {
  const [error, setError] = useState<Error>();
  useEffect(() => {
    signingIn ??= signInByProvider();
    signingIn.then(() => goTo(""), setError);
  }, []);
  return (
    <>
      <title>Signing in</title>
      <h1>Signing in</h1>
      {error && (
        <p role="alert">
          That did not work. <a href="/sign-in">Try again</a>
        </p>
      )}
    </>
  );
}

export function SignUp() {
  return (
    <>
      <title>Sign up</title>
      <h1>Sign up</h1>
      <Form
        submit="Sign up"
        act={async ({ name = "", email = "", password = "" }) => {
          await signUp(name, email, password);
          goTo("welcome");
        }}
      >
        <Field name="name" label="Name" hint="As readers will see it." required autoComplete="name" />
        <Field {...email} />
        <Field {...password} autoComplete="new-password" hint="At least 8 characters." />
      </Form>
    </>
  );
}

/** After signing up. */
export function Welcome() {
  const { data, error, refetch } = useQuery(welcomeQuery);
  const [resend] = useMutation(resendMutation);
  if (!data?.me) return <Waiting error={error} retry={refetch} />;
  return (
    <>
      <title>Welcome</title>
      <h1>Welcome, {data.me.name}</h1>
      <p>We have sent a mail to {data.me.email}. Follow its link to confirm your email.</p>
      {outbox}
      <div className="actions">
        <a className="button primary" href="/">
          Start reading
        </a>
        <Action act={() => resend()}>Send it again</Action>
      </div>
    </>
  );
}

/** The token of a mail’s link stands after `#`, which no server sees. It leaves the page’s URL at once. */
function useMailedToken(): string {
  const [token] = useState(() => location.hash.slice(1));
  useEffect(() => history.replaceState(null, "", location.pathname), []);
  return token;
}

export function ConfirmEmail() {
  const token = useMailedToken();
  const [confirm, { data }] = useMutation(confirmMutation, { variables: { token } });
  return (
    <>
      <title>Confirm your email</title>
      <h1>Confirm your email</h1>
      {data?.confirmEmail ? (
        <p role="status">
          Thank you, your email is confirmed. <a href="/">Start reading</a>
        </p>
      ) : (
        // Not at once: programs that look into mails open their links, too.
        <Action className="primary" act={() => confirm()}>
          Confirm
        </Action>
      )}
    </>
  );
}

export function ForgotPassword() {
  const [forgot] = useMutation(forgotMutation);
  return (
    <>
      <title>Forgotten password</title>
      <h1>Forgotten password</h1>
      <Form
        submit="Send the mail"
        done="If there is an account with this email, a mail is on its way."
        act={({ email = "" }) => forgot({ variables: { email } })}
      >
        <Field {...email} />
      </Form>
      {outbox}
    </>
  );
}

export function ResetPassword() {
  const token = useMailedToken();
  return (
    <>
      <title>A new password</title>
      <h1>A new password</h1>
      <Form
        submit="Save and sign in"
        act={async ({ newPassword = "" }) => {
          await resetPassword(token, newPassword);
          goTo("");
        }}
      >
        <Field
          {...password}
          name="newPassword"
          label="New password"
          autoComplete="new-password"
          hint="At least 8 characters. You will be signed out everywhere else."
        />
      </Form>
    </>
  );
}
