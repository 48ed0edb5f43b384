interface Tokens {
  accessToken: string;
  expiresIn: number;
  refreshToken: string;
}

interface KeptTokens extends Tokens {
  /** Milliseconds since 1970. */
  refreshAt: number;
}

interface KeyValues {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** An entry of `errors`. */
export interface ApiError {
  message: string;
  path?: (string | number)[];
  extensions: { code: string; reason?: string; validationErrors?: { field: string | null; message: string }[] };
}

/** A response with errors, for a caller that needs all of it. */
export class ApiErrors extends Error {
  readonly errors: ApiError[];

  constructor(errors: ApiError[]) {
    super(errors.map(({ message }) => message).join(" "));
    this.errors = errors;
  }
}

/** One person's session: signs in, refreshes the access token before it expires, and sends requests. */
export class Session {
  readonly #url: string;
  readonly #storage: KeyValues;
  #refreshing: Promise<void> | undefined;

  /** @param storage in a browser `localStorage`: a reload keeps the session, and all tabs share it */
  constructor(url: string, storage: KeyValues = inMemory()) {
    this.#url = url;
    this.#storage = storage;
  }

  get #tokens(): KeptTokens | undefined {
    return JSON.parse(this.#storage.getItem("session") ?? "null") ?? undefined;
  }

  async signUp(name: string, email: string, password: string): Promise<void> {
    const query = `mutation SignUp($name: String!, $email: String!, $password: String!) {
      createUser(name: $name, email: $email, password: $password) { id }
    }`;
    await this.#send(query, { name, email, password });
    await this.signIn(email, password);
  }

  async signIn(email: string, password: string): Promise<void> {
    const query = `mutation SignIn($email: String!, $password: String!) {
      signIn(email: $email, password: $password) { accessToken expiresIn refreshToken }
    }`;
    const { signIn } = await this.#send<{ signIn: Tokens }>(query, { email, password });
    this.#keep(signIn);
  }

  async signOut(): Promise<void> {
    const query = "mutation Out($refreshToken: String!) { signOut(refreshToken: $refreshToken) { success } }";
    const refreshToken = this.#tokens?.refreshToken;
    this.#storage.removeItem("session");
    if (refreshToken) await this.#send(query, { refreshToken });
  }

  /** Undefined if nobody is signed in. */
  async accessToken(): Promise<string | undefined> {
    const tokens = this.#tokens;
    if (tokens && Date.now() > tokens.refreshAt) await this.refresh();
    return this.#tokens?.accessToken;
  }

  /** Refreshes once, however many requests ask for it at the same time. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async ask<Data>(query: string, variables: object = {}): Promise<Data> {
    const token = await this.accessToken();
    const send = (bearer = token) =>
      this.#send<Data>(query, variables, bearer === undefined ? {} : { authorization: `Bearer ${bearer}` });
    try {
      return await send();
    } catch (error) {
      // The clock of this device may be wrong. Another request may have refreshed the session meanwhile.
      if (
        !(error instanceof ApiErrors && error.errors.some(({ extensions }) => extensions.reason === "TOKEN_EXPIRED"))
      ) {
        throw error;
      }
      if (token === this.#tokens?.accessToken) await this.refresh();
      return send(this.#tokens?.accessToken);
    }
  }

  async #refresh(): Promise<void> {
    const query = `mutation Refresh($refreshToken: String!) {
      refreshSession(refreshToken: $refreshToken) { accessToken expiresIn refreshToken }
    }`;
    const refreshToken = this.#tokens?.refreshToken;
    try {
      this.#keep((await this.#send<{ refreshSession: Tokens }>(query, { refreshToken })).refreshSession);
    } catch (error) {
      // The session is over. After a network error, the next request tries again.
      const isOver =
        error instanceof ApiErrors && error.errors.some(({ extensions }) => extensions.code === "UNAUTHORIZED");
      if (isOver && refreshToken === this.#tokens?.refreshToken) this.#storage.removeItem("session");
      throw error;
    }
  }

  #keep(tokens: Tokens): void {
    // A minute early, because clocks differ.
    const kept: KeptTokens = { ...tokens, refreshAt: Date.now() + (tokens.expiresIn - 60) * 1_000 };
    this.#storage.setItem("session", JSON.stringify(kept));
  }

  async #send<Data>(query: string, variables: object, headers: Record<string, string> = {}): Promise<Data> {
    const response = await fetch(this.#url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as { data?: Data; errors?: ApiError[] };
    if (errors || !data) throw new ApiErrors(errors ?? []);
    return data;
  }
}

function inMemory(): KeyValues {
  const kept = new Map<string, string>();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
}
