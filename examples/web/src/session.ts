import { ApolloClient, CombinedGraphQLErrors, HttpLink, InMemoryCache } from "@apollo/client";
import { useSyncExternalStore } from "react";
import { type FragmentOf, graphql } from "./graphql";
import { takeToken } from "./provider";

export const url = new URL("/graphql", location.href).href;

/** Signs in and refreshes without a token. The other client asks this file for one before each request. */
const anonymous = new ApolloClient({ link: new HttpLink({ uri: url }), cache: new InMemoryCache() });

const tokensFragment = graphql(`
  fragment Tokens on Session { accessToken expiresIn refreshToken userId }
`);
type Tokens = FragmentOf<typeof tokensFragment>;

const signInMutation = graphql(
  `
  mutation SignIn($email: String!, $password: String!) { signIn(email: $email, password: $password) { ...Tokens } }
`,
  [tokensFragment],
);
const signUpMutation = graphql(`
  mutation SignUp($name: String!, $email: String!, $password: String!) {
    createUser(name: $name, email: $email, password: $password) { id }
  }
`);
const resetMutation = graphql(
  `
  mutation ResetPassword($token: String!, $newPassword: String!) {
    resetPassword(token: $token, newPassword: $newPassword) { ...Tokens }
  }
`,
  [tokensFragment],
);
const refreshMutation = graphql(
  `
  mutation Refresh($refreshToken: String!) { refreshSession(refreshToken: $refreshToken) { ...Tokens } }
`,
  [tokensFragment],
);
const signOutMutation = graphql(`
  mutation SignOut($refreshToken: String!) { signOut(refreshToken: $refreshToken) { success } }
`);

const whoQuery = graphql(`query Who { me { id } }`);

/** One of an identity provider has no refresh token: when it is over, the provider is asked again. */
interface Session extends Omit<Tokens, "refreshToken"> {
  refreshToken?: string;
  /** Milliseconds since 1970. */
  refreshAt: number;
}
/** All tabs share local storage, so that a link in a new tab is signed in, and signing out is for all of them. */
const key = "session";
const stored = (): Session | null => JSON.parse(localStorage.getItem(key) ?? "null");
let session = stored();
let refreshing: Promise<void> | undefined;
const listeners = new Set<() => void>();

// Another tab has signed in or out, or has refreshed the session; also while this one was put away.
for (const event of ["storage", "pageshow"]) {
  addEventListener(event, () => {
    session = stored();
    for (const listener of listeners) listener();
  });
}

function keep(tokens: Omit<Session, "refreshAt"> | null | undefined): void {
  // A minute early, because clocks differ.
  session = tokens ? { ...tokens, refreshAt: Date.now() + (tokens.expiresIn - 60) * 1_000 } : null;
  if (session) localStorage.setItem(key, JSON.stringify(session));
  else localStorage.removeItem(key);
  for (const listener of listeners) listener();
}

export async function signIn(email: string, password: string): Promise<void> {
  const { data } = await anonymous.mutate({ mutation: signInMutation, variables: { email, password } });
  keep(data?.signIn);
}

export async function signUp(name: string, email: string, password: string): Promise<void> {
  await anonymous.mutate({ mutation: signUpMutation, variables: { name, email, password } });
  await signIn(email, password);
}

/** Ends what goToProvider() has begun. */
export async function signInByProvider(): Promise<void> {
  const { accessToken, expiresIn } = await takeToken();
  const { data } = await anonymous.query({
    query: whoQuery,
    context: { headers: { Authorization: `Bearer ${accessToken}` } },
    fetchPolicy: "no-cache",
  });
  if (data?.me) keep({ accessToken, expiresIn, userId: data.me.id });
}

/** @param token from the mail that requestPasswordReset sends */
export async function resetPassword(token: string, newPassword: string): Promise<void> {
  const { data } = await anonymous.mutate({ mutation: resetMutation, variables: { token, newPassword } });
  keep(data?.resetPassword);
}

export async function signOut(): Promise<void> {
  const refreshToken = session?.refreshToken;
  forgetSession();
  if (refreshToken) await anonymous.mutate({ mutation: signOutMutation, variables: { refreshToken } });
}

/** The session is over: the user has to sign in again. */
export function forgetSession(): void {
  keep(null);
}

/** Undefined if nobody is signed in. */
export async function accessToken(): Promise<string | undefined> {
  if (session && Date.now() > session.refreshAt) {
    // Requests that are sent at the same time share one refresh.
    refreshing ??= refresh(session.refreshToken).finally(() => {
      refreshing = undefined;
    });
    await refreshing;
  }
  return session?.accessToken;
}

async function refresh(refreshToken: string | undefined): Promise<void> {
  if (refreshToken === undefined) return keep(null);
  try {
    const { data } = await anonymous.mutate({ mutation: refreshMutation, variables: { refreshToken } });
    keep(data?.refreshSession);
  } catch (error) {
    // After a network error, the next request tries again.
    if (!CombinedGraphQLErrors.is(error)) throw error;
    keep(null);
  }
}

/** The id of the signed-in user. */
export const currentUserId = () => session?.userId;

/** The same, for a component. */
export function useUserId(): string | undefined {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, currentUserId);
}
