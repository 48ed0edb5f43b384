interface Tokens {
  accessToken: string;
  expiresIn: number;
  refreshToken: string;
}

/** An entry of `errors`. */
export interface ApiFault {
  message: string;
  path?: (string | number)[];
  extensions: { code: string; reason?: string; validationErrors?: { field: string | null; message: string }[] };
}

/** An answer with errors, for a caller that needs all of it. */
export class ApiFaults extends Error {
  readonly faults: ApiFault[];

  constructor(faults: ApiFault[]) {
    super(faults.map(({ message }) => message).join(" "));
    this.faults = faults;
  }
}

/** One person's session: signs in, refreshes the access token before it expires, and sends requests. */
export class Session {
  readonly #url: string;
  #tokens: Tokens | undefined;
  #refreshAt = 0;
  #refreshing: Promise<void> | undefined;

  constructor(url: string) {
    this.#url = url;
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

  /** Undefined before signIn(). */
  async accessToken(): Promise<string | undefined> {
    if (this.#tokens && Date.now() > this.#refreshAt) await this.refresh();
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
        !(error instanceof ApiFaults && error.faults.some(({ extensions }) => extensions.reason === "TOKEN_EXPIRED"))
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
    const { refreshSession } = await this.#send<{ refreshSession: Tokens }>(query, { refreshToken });
    this.#keep(refreshSession);
  }

  #keep(tokens: Tokens): void {
    this.#tokens = tokens;
    // A minute early, because clocks differ.
    this.#refreshAt = Date.now() + (tokens.expiresIn - 60) * 1_000;
  }

  async #send<Data>(query: string, variables: object, headers: Record<string, string> = {}): Promise<Data> {
    const response = await fetch(this.#url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as { data?: Data; errors?: ApiFault[] };
    if (errors || !data) throw new ApiFaults(errors ?? []);
    return data;
  }
}
