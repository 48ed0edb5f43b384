import * as oauth from "oauth4webapi";

/* An identity provider: the authorization code flow with PKCE. Its access token is the session's, as a token of the service is. */

const issuer: string | undefined = import.meta.env["VITE_OIDC_ISSUER"];
const client: oauth.Client = { client_id: import.meta.env["VITE_OIDC_CLIENT_ID"] ?? "" };
/** Only a provider of this machine may do without TLS. */
const options = { [oauth.allowInsecureRequests]: issuer?.startsWith("http://127.0.0.1:") ?? false };
/** What the page has to know when it comes back. */
const key = "signing-in";
const redirectUri = new URL("/signed-in", location.href).href;

export const hasProvider = issuer !== undefined;

async function discover(): Promise<oauth.AuthorizationServer> {
  const url = new URL(issuer ?? "");
  return oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, options));
}

/** Leaves the page for the provider’s, which leads back to `/signed-in`. */
export async function goToProvider(): Promise<void> {
  const { authorization_endpoint: endpoint = "" } = await discover();
  const codeVerifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  sessionStorage.setItem(key, JSON.stringify({ codeVerifier, state }));
  const url = new URL(endpoint);
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: "code",
    scope: "openid email profile",
    code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: "S256",
    state,
  }).toString();
  location.assign(url);
}

/** @throws when the provider has refused, or the page was opened by somebody else’s link */
export async function takeToken(): Promise<{ accessToken: string; expiresIn: number }> {
  const { codeVerifier = "", state = "" } = JSON.parse(sessionStorage.getItem(key) ?? "{}");
  sessionStorage.removeItem(key);
  const server = await discover();
  const parameters = oauth.validateAuthResponse(server, client, new URL(location.href), state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    parameters,
    redirectUri,
    codeVerifier,
    options,
  );
  const { access_token, expires_in = 300 } = await oauth.processAuthorizationCodeResponse(server, client, response);
  return { accessToken: access_token, expiresIn: expires_in };
}
