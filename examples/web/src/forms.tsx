import {
  type ComponentProps,
  createContext,
  type FormEvent,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { errorsOf, type RequestError } from "./client";

/* Forms, buttons that do something, and what goes wrong with them. */

/** Runs what a button or a form does: once at a time, and keeps its error for `<Errors>`. */
export function useAction<Args extends unknown[]>(act: (...args: Args) => Promise<unknown>) {
  const [state, setState] = useState<{ busy: boolean; done: boolean; error?: unknown }>({ busy: false, done: false });
  const running = useRef(false);
  async function run(...args: Args): Promise<void> {
    // Not by `disabled`: a disabled button loses the focus.
    if (running.current) return;
    running.current = true;
    setState({ busy: true, done: false });
    try {
      await act(...args);
      setState({ busy: false, done: true });
    } catch (error) {
      setState({ busy: false, done: false, error });
    } finally {
      running.current = false;
    }
  }
  return { ...state, run };
}

export function Errors({ errors }: { errors: RequestError[] }) {
  if (errors.length === 0) return null;
  return (
    <div role="alert" className="error">
      {errors.map(({ message }) => (
        <p key={message}>{message}</p>
      ))}
    </div>
  );
}

interface ActionProps {
  act(): Promise<unknown>;
  children: ReactNode;
  className?: string;
}

/** A button that calls the service, with what went wrong below it. */
export function Action({ act, ...button }: ActionProps) {
  const { busy, error, run } = useAction(act);
  return (
    <>
      <button type="button" aria-busy={busy} onClick={() => run()} {...button} />
      <Errors errors={errorsOf(error)} />
    </>
  );
}

const FormErrors = createContext<RequestError[]>([]);

interface FormProps {
  /** @param values with the name and value of the button that was pressed */
  act(values: Record<string, string>, form: HTMLFormElement): Promise<unknown>;
  children: ReactNode;
  /** The button’s text, or several buttons. */
  submit: ReactNode;
  /** The text after success, where the screen stays. */
  done?: string;
  /** Called with each key in a field. */
  typed?(form: HTMLFormElement): void;
}

/** Validation errors stand beside their fields, everything else above the buttons. */
export function Form({ act, children, submit, done: doneText, typed }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const { busy, done, error, run } = useAction((event: FormEvent<HTMLFormElement>) => {
    const { submitter } = event.nativeEvent as SubmitEvent;
    const values = Object.fromEntries(new FormData(event.currentTarget, submitter)) as Record<string, string>;
    return act(values, event.currentTarget);
  });
  const errors = errorsOf(error);
  const hasField = ({ field }: RequestError) => field && form.current?.elements.namedItem(field);
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [error]);
  return (
    <form
      ref={form}
      aria-busy={busy}
      onInput={(event) => typed?.(event.currentTarget)}
      onSubmit={(event) => {
        event.preventDefault();
        void run(event);
      }}
    >
      <FormErrors value={errors}>{children}</FormErrors>
      <Errors errors={errors.filter((one) => !hasField(one))} />
      <div className="actions">
        {typeof submit === "string" ? (
          <button type="submit" className="primary">
            {submit}
          </button>
        ) : (
          submit
        )}
        {done && doneText && <span role="status">{doneText}</span>}
      </div>
    </form>
  );
}

type FieldProps = { name: string; label: string; hint?: string } & (
  | ({ rows: number } & Omit<ComponentProps<"textarea">, "rows">)
  | ({ rows?: undefined } & ComponentProps<"input">)
);

/** An input with its label, or a textarea if it has `rows`. */
export function Field({ label, hint, ...control }: FieldProps) {
  const id = useId();
  const errors = useContext(FormErrors).filter(({ field }) => field === control.name);
  const described = {
    id,
    "aria-invalid": errors.length > 0,
    "aria-describedby": `${hint ? `${id}-hint` : ""} ${errors.length > 0 ? `${id}-error` : ""}`.trim() || undefined,
  };
  return (
    <div className="field">
      {/* Not twice, where the placeholder says it. */}
      <label htmlFor={id} className={control.placeholder === label ? "hidden" : undefined}>
        {label}
      </label>
      {hint && (
        <p id={`${id}-hint`} className="small">
          {hint}
        </p>
      )}
      {control.rows === undefined ? <input {...described} {...control} /> : <textarea {...described} {...control} />}
      {errors.length > 0 && (
        <p id={`${id}-error`} className="error">
          {errors.map(({ message }) => message).join(" ")}
        </p>
      )}
    </div>
  );
}

/**
 * An idempotency key for what a person sends: the same one until it has been answered, so that nothing is sent twice. A
 * changed text is another thing to send.
 */
export function useIdempotencyKey() {
  const sent = useRef({ what: "", key: "" });
  return {
    keyOf(what: unknown): string {
      const text = JSON.stringify(what);
      if (sent.current.what !== text) sent.current = { what: text, key: crypto.randomUUID() };
      return sent.current.key;
    },
    answered() {
      sent.current = { what: "", key: "" };
    },
  };
}

interface TextFormProps {
  label: string;
  send(text: string, idempotencyKey: string): Promise<unknown>;
  /** After that. Without it, the next text can be written. */
  sent?(): void;
  autoFocus?: boolean;
  /** One line, with the button beside it. */
  isLine?: boolean;
}

/** One text to send: a comment, a message. */
export function TextForm({ label, send, sent, autoFocus, isLine }: TextFormProps) {
  const { keyOf, answered } = useIdempotencyKey();
  async function act({ text = "" }, form: HTMLFormElement) {
    await send(text, keyOf(text));
    answered();
    form.reset();
    if (sent) sent();
    else form.querySelector("textarea")?.focus();
  }
  return (
    <Form act={act} submit="Send">
      <Field
        name="text"
        label={label}
        placeholder={isLine ? label : undefined}
        rows={isLine ? 1 : 2}
        required
        autoFocus={autoFocus}
      />
    </Form>
  );
}

interface DialogProps {
  /** The text of the button that opens it. */
  label: string;
  title: string;
  children: ReactNode;
}

/** A button that asks before it acts. The browser keeps the focus inside, and gives it back to the button. */
export function Dialog({ label, title, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  return (
    <>
      <button type="button" className="quiet" onClick={() => setIsOpen(true)}>
        {label}
      </button>
      {isOpen && (
        <dialog ref={dialog} aria-labelledby={id} onClose={() => setIsOpen(false)}>
          <h2 id={id}>{title}</h2>
          {children}
          <button type="button" className="quiet" onClick={() => dialog.current?.close()}>
            Close
          </button>
        </dialog>
      )}
    </>
  );
}
