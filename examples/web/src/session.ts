import { ApolloClient, CombinedGraphQLErrors, HttpLink, InMemoryCache } from "@apollo/client";
import { useSyncExternalStore } from "react";
import { type FragmentOf, graphql } from "./graphql";

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
const refreshMutation = graphql(
  `
  mutation Refresh($refreshToken: String!) { refreshSession(refreshToken: $refreshToken) { ...Tokens } }
`,
  [tokensFragment],
);
const signOutMutation = graphql(`
  mutation SignOut($refreshToken: String!) { signOut(refreshToken: $refreshToken) { success } }
`);

interface Session extends Tokens {
  /** Milliseconds since 1970. */
  refreshAt: number;
}
/** Session storage belongs to this tab, survives a reload, and ends with the tab. */
const key = "session";
let session: Session | null = JSON.parse(sessionStorage.getItem(key) ?? "null");
let refreshing: Promise<void> | undefined;
const listeners = new Set<() => void>();

function keep(tokens: Tokens | null | undefined): void {
  // A minute early, because clocks differ.
  session = tokens ? { ...tokens, refreshAt: Date.now() + (tokens.expiresIn - 60) * 1_000 } : null;
  if (session) sessionStorage.setItem(key, JSON.stringify(session));
  else sessionStorage.removeItem(key);
  for (const listener of listeners) listener();
}

export async function signIn(email: string, password: string): Promise<void> {
  const { data } = await anonymous.mutate({ mutation: signInMutation, variables: { email, password } });
  keep(data?.signIn);
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

async function refresh(refreshToken: string): Promise<void> {
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
export function useUserId(): string | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => session?.userId,
  );
}
