/*
 * Runs in the browser: GraphiQL, and the bar above it that signs in. The bar is the one place for the token: each request of
 * the page gets it from here.
 */
const { endpoint, staticPath, sampleSignIns, defaultTabs } = RURU_CONFIG;
const { React, createRoot, Ruru } = await import(`${staticPath}ruru.js`);
/** A link opens a tab with its operation, and runs nothing. The page of mails writes after `#`: no server sees its token. */
const link = new URLSearchParams(location.hash.slice(1) || location.search);
const linked = link.get("query") ? { query: link.get("query"), variables: link.get("variables") ?? "" } : undefined;
if (linked) {
  defaultTabs.unshift(linked);
  history.replaceState(null, "", location.pathname);
}
const bar = document.querySelector("#session");
const fields = bar.elements;

/** The tokens, and the user's name. This tab of the browser has them until it closes. */
let session = JSON.parse(sessionStorage.getItem("session"));

function keep(next) {
  session = next;
  if (session) sessionStorage.setItem("session", JSON.stringify(session));
  else sessionStorage.removeItem("session");
  show("");
}

function show(problem) {
  bar.querySelector("#signed-out").hidden = session !== null;
  bar.querySelector("#signed-in").hidden = session === null;
  fields.user.value = session ? `Signed in as ${session.name}` : "";
  fields.problem.value = problem;
}

function post(body, headers, signal) {
  return fetch(endpoint, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json", ...headers },
    body: JSON.stringify(body),
    signal,
  });
}

async function ask(query, variables, headers) {
  const { data, errors } = await (await post({ query, variables }, headers)).json();
  if (errors) throw new Error(errors[0].message);
  return data;
}

const bearer = (token) => ({ Authorization: `Bearer ${token}` });

/** Shows why it failed, and leaves nobody signed in. */
async function start(tokens) {
  try {
    const { accessToken, refreshToken, expiresIn } = await tokens;
    const { me } = await ask("query Me { me { name } }", {}, bearer(accessToken));
    // A minute early, because clocks differ. A token that was pasted cannot be refreshed.
    const refreshAt = refreshToken ? Date.now() + (expiresIn - 60) * 1_000 : undefined;
    keep({ accessToken, refreshToken, refreshAt, name: me.name });
  } catch (error) {
    keep(null);
    show(error.message);
  }
}

async function signIn(email, password) {
  const query = `mutation SignIn($email: String!, $password: String!) {
    signIn(email: $email, password: $password) { accessToken refreshToken expiresIn }
  }`;
  return (await ask(query, { email, password })).signIn;
}

async function refresh(refreshToken) {
  const query = `mutation Refresh($refreshToken: String!) {
    refreshSession(refreshToken: $refreshToken) { accessToken refreshToken expiresIn }
  }`;
  return (await ask(query, { refreshToken })).refreshSession;
}

let refreshing;

async function authorization() {
  if (session?.refreshAt < Date.now()) {
    // Once, however many requests wait for it.
    refreshing ??= start(refresh(session.refreshToken)).finally(() => {
      refreshing = undefined;
    });
    await refreshing;
  }
  return session ? bearer(session.accessToken) : {};
}

const account = bar.querySelector("#account");
const { email, password, token, other } = fields;

function isSample() {
  return sampleSignIns?.emails.includes(email.value) ?? false;
}

email.addEventListener("input", () => {
  password.disabled = isSample();
  password.placeholder = isSample() ? "Not needed" : "Password";
});
other.addEventListener("click", () => {
  [account.hidden, token.hidden] = [token.hidden, account.hidden];
  other.textContent = account.hidden ? "Use an account" : "Use a token";
  (account.hidden ? token : email).focus();
});
bar.addEventListener("submit", (event) => {
  event.preventDefault();
  if (account.hidden) void start({ accessToken: token.value.trim() });
  else void start(signIn(email.value, isSample() ? sampleSignIns.password : password.value));
  password.value = token.value = "";
});
fields.signOut.addEventListener("click", async () => {
  // The session ends in the service, too. One that has ended already is no error.
  if (session?.refreshToken)
    await ask("mutation SignOut($token: String!) { signOut(refreshToken: $token) { success } }", {
      token: session.refreshToken,
    }).catch(() => {});
  keep(null);
});

/** GraphiQL calls this for each operation. */
async function fetcher(params, { documentAST } = {}) {
  const headers = await authorization();
  const operations = documentAST?.definitions.filter(({ kind }) => kind === "OperationDefinition") ?? [];
  // GraphiQL sends the name that a link has given from all tabs.
  const operation =
    operations.length === 1 ? operations[0] : operations.find(({ name }) => name?.value === params.operationName);
  const body = operation ? { ...params, operationName: operation.name?.value } : params;
  if (operation?.operation === "subscription") return follow(body, headers);
  const result = await (await post(body, headers)).json();
  if (params.operationName === "IntrospectionQuery") sortMutations(result.data?.__schema);
  return result;
}

/** The results of a subscription, by server-sent events. */
function follow(params, headers) {
  return {
    subscribe(observer) {
      const stopping = new AbortController();
      receive(params, headers, stopping.signal, observer).catch(
        (error) => stopping.signal.aborted || observer.error(error),
      );
      return { unsubscribe: () => stopping.abort() };
    },
  };
}

async function receive(params, headers, signal, observer) {
  const response = await post(params, { ...headers, Accept: "text/event-stream" }, signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const events = (text + value).split("\n\n");
    text = events.pop();
    for (const event of events) {
      const [, data] = /^event: next\ndata: (.*)/.exec(event) ?? [];
      if (data) observer.next(JSON.parse(data));
    }
  }
  observer.complete();
}

/** By what they are about: createPost beside deletePost and updatePost. */
function sortMutations(schema) {
  const about = ({ name }) => name.replace(/^[a-z]+/, "");
  schema?.types
    .find(({ name }) => name === schema.mutationType?.name)
    ?.fields.sort((one, other) => about(one).localeCompare(about(other)) || one.name.localeCompare(other.name));
}

/** The browser's storage without secrets. GraphiQL forgets what cannot be stored, also in its history. */
const storage = {
  get length() {
    return localStorage.length;
  },
  getItem: (key) => localStorage.getItem(key),
  setItem(key, value) {
    if (/password|refreshToken/i.test(value)) throw new Error("Passwords and tokens are not stored.");
    localStorage.setItem(key, value);
  },
  removeItem: (key) => localStorage.removeItem(key),
  clear: () => localStorage.clear(),
};

// Without a stored query, GraphiQL opens an empty tab when the page is loaded for the second time.
if (!storage.getItem("graphiql:query")) storage.setItem("graphiql:query", defaultTabs[0].query);
show("");
createRoot(document.querySelector("#ruru-root")).render(
  React.createElement(Ruru, {
    ...RURU_CONFIG,
    fetcher,
    storage,
    initialQuery: linked?.query,
    initialVariables: linked?.variables,
    operationName: linked && link.get("operationName"),
  }),
);
