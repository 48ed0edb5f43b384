import { useApolloClient, useMutation, useQuery } from "@apollo/client/react";
import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { errorsOf } from "../client";
import { Action, Dialog, Field, Form, useIdempotencyKey } from "../forms";
import { type FragmentOf, graphql, type VariablesOf } from "../graphql";
import { Markdown } from "../Markdown";
import { Time, useRights, viewerFragment, Waiting } from "../parts";
import { goTo, linkTo } from "../router";
import { Previews, previewsFragment } from "./Preview";
import { Restore } from "./Trash";

const draftsQuery = graphql(
  `
  query Drafts {
    me {
      ...Viewer
      postsConnection(status: DRAFT, first: 20) { edges { node { id title publishAt } } }
      submitted: postsConnection(status: SUBMITTED, first: 20) { edges { node { id title } } }
    }
  }
`,
  [viewerFragment],
);

const editableFragment = graphql(`
  fragment EditablePost on Post { id slug title content status publishAt tags { id name } version reviewNote }
`);
type EditablePost = FragmentOf<typeof editableFragment>;

const workingCopyFragment = graphql(`
  fragment WorkingCopyOfPost on Post { id workingCopy { id title content tags version } }
`);

const editQuery = graphql(
  `
  query EditPost($id: ID!) { me { ...Viewer } post(id: $id) { ...EditablePost ...WorkingCopyOfPost ...PreviewsOfPost } }
`,
  [viewerFragment, editableFragment, workingCopyFragment, previewsFragment],
);

const createMutation = graphql(
  `
  mutation CreatePost($input: CreatePostInput!, $idempotencyKey: String!) {
    createPost(input: $input, idempotencyKey: $idempotencyKey) { ...EditablePost }
  }
`,
  [editableFragment],
);

const updateMutation = graphql(
  `
  mutation UpdatePost($id: ID!, $input: UpdatePostInput!, $ifVersion: String!) {
    updatePost(id: $id, input: $input, ifVersion: $ifVersion) { ...EditablePost }
  }
`,
  [editableFragment],
);

const keepMutation = graphql(
  `
  mutation SaveWorkingCopy($id: ID!, $input: UpdatePostInput!) {
    saveWorkingCopy(postId: $id, input: $input) { id post { ...WorkingCopyOfPost } }
  }
`,
  [workingCopyFragment],
);

const publishMutation = graphql(
  `
  mutation PublishWorkingCopy($id: ID!, $ifVersion: String!) {
    publishWorkingCopy(postId: $id, ifVersion: $ifVersion) { ...EditablePost ...WorkingCopyOfPost }
  }
`,
  [editableFragment, workingCopyFragment],
);

const discardMutation = graphql(
  `
  mutation DiscardWorkingCopy($id: ID!) { discardWorkingCopy(postId: $id) { ...EditablePost ...WorkingCopyOfPost } }
`,
  [editableFragment, workingCopyFragment],
);

export const deletePostMutation = graphql(`
  mutation DeletePost($id: ID!) { deletePost(id: $id) { success } }
`);

const returnMutation = graphql(
  `
  mutation ReturnPost($id: ID!, $note: String) { returnPost(id: $id, note: $note) { ...EditablePost } }
`,
  [editableFragment],
);

/** The post that has just been deleted, for the screen that its author sees next. */
let justDeleted: { id: string; title: string } | undefined;

function Undo() {
  const [deleted] = useState(justDeleted);
  useEffect(() => {
    justDeleted = undefined;
  }, []);
  if (!deleted) return null;
  return (
    <div className="notice" role="status">
      <p>“{deleted.title}” is deleted.</p>
      <Restore id={deleted.id}>Undo</Restore>
    </div>
  );
}

/** An empty editor, and the drafts to go on with. */
export function NewPost() {
  const { data, error, refetch } = useQuery(draftsQuery);
  const [create] = useMutation(createMutation);
  const { keyOf, answered } = useIdempotencyKey();
  if (!data?.me) return <Waiting error={error} retry={refetch} />;
  const drafts = data.me.postsConnection?.edges ?? [];
  const submitted = data.me.submitted?.edges ?? [];
  return (
    <>
      <title>Write</title>
      <h1>Write</h1>
      <Undo />
      <PostForm
        save={async (input) => {
          const { data } = await create({ variables: { input, idempotencyKey: keyOf(input) } });
          answered();
          if (data?.createPost) showSaved(data.createPost);
        }}
      />
      {drafts.length > 0 && <h2 className="section">Your drafts</h2>}
      <ul className="lines">
        {drafts.map(({ node }) => (
          <li key={node.id}>
            <a href={linkTo("write", node.id)}>{node.title}</a>
            {node.publishAt && (
              <p className="small">
                Scheduled for <Time of={node.publishAt} precise />
              </p>
            )}
          </li>
        ))}
      </ul>
      {submitted.length > 0 && <h2 className="section">Waiting for review</h2>}
      <ul className="lines">
        {submitted.map(({ node }) => (
          <li key={node.id}>
            <a href={linkTo("write", node.id)}>{node.title}</a>
          </li>
        ))}
      </ul>
      <p>
        <a href="/trash">Trash</a>
      </p>
    </>
  );
}

function showSaved({ id, slug, status }: EditablePost): void {
  if (status === "PUBLISHED") goTo("posts", slug);
  else goTo("write", id);
}

export function EditPost({ id }: { id: string }) {
  // From the service: what the cache has may be older than what others have written.
  const { data, error, refetch } = useQuery(editQuery, { variables: { id }, fetchPolicy: "network-only" });
  if (!data?.post) return <Waiting error={error} retry={refetch} />;
  return (
    <>
      <title>Edit</title>
      <h1>Edit</h1>
      <Editor loaded={data.post} workingCopy={data.post.workingCopy} />
      <Previews post={data.post} refetch={refetch} />
    </>
  );
}

type WorkingCopy = FragmentOf<typeof workingCopyFragment>["workingCopy"];

/** A post as the editor shows it: with what its working copy changes. */
function edited(post: EditablePost, workingCopy: WorkingCopy): EditablePost {
  if (!workingCopy) return post;
  const { title, content, tags } = workingCopy;
  const named = tags.map((name) => ({ __typename: "Tag" as const, id: String(name), name: String(name) }));
  return { ...post, title, content, tags: named };
}

function Editor({ loaded, workingCopy }: { loaded: EditablePost; workingCopy: WorkingCopy }) {
  const client = useApolloClient();
  const [initial, setInitial] = useState(edited(loaded, workingCopy));
  // Another one is another form: what was typed into the last one goes.
  const [form, setForm] = useState(0);
  // Of the version that the author has seen. The cache may get newer ones.
  const [ifVersion, setIfVersion] = useState(loaded.version);
  const [saved, setSaved] = useState(loaded);
  // What somebody else has saved meanwhile.
  const [theirs, setTheirs] = useState<EditablePost>();
  const [update] = useMutation(updateMutation);
  const [keep] = useMutation(keepMutation);
  const [publish] = useMutation(publishMutation);
  const [discard] = useMutation(discardMutation, { variables: { id: loaded.id } });
  const [remove] = useMutation(deletePostMutation, { variables: { id: loaded.id } });
  const [giveBack] = useMutation(returnMutation);
  const rights = useRights();

  const isPublished = saved.status === "PUBLISHED";

  async function change(input: PostInput): Promise<EditablePost | null | undefined> {
    const { data } = await update({ variables: { id: loaded.id, input, ifVersion } });
    return data?.updatePost;
  }
  async function publishChanges(input: PostInput): Promise<EditablePost | null | undefined> {
    const { id } = loaded;
    await keep({ variables: { id, input } });
    const { data } = await publish({ variables: { id, ifVersion } });
    return data?.publishWorkingCopy;
  }
  async function discardChanges(): Promise<void> {
    const { data } = await discard();
    if (data?.discardWorkingCopy) goOnWith(data.discardWorkingCopy);
  }
  async function save(input: PostInput): Promise<void> {
    const { id } = loaded;
    try {
      const post = isPublished && !input.status ? await publishChanges(input) : await change(input);
      if (!post) return;
      if (isPublished && input.status) await discard();
      setIfVersion(post.version);
      setTheirs(undefined);
      setSaved(post);
      showSaved(post);
    } catch (error) {
      if (!errorsOf(error).some(({ reason }) => reason === "CHANGED")) throw error;
      const { data } = await client.query({ query: editQuery, variables: { id }, fetchPolicy: "network-only" });
      if (data?.post) {
        setIfVersion(data.post.version);
        setTheirs(data.post);
      }
      throw error;
    }
  }
  function goOnWith(version: EditablePost): void {
    setInitial(version);
    setForm(form + 1);
    setSaved(version);
    setTheirs(undefined);
  }
  async function removePost(): Promise<void> {
    await remove();
    justDeleted = { id: loaded.id, title: saved.title };
    // The editor goes first: without the post it would ask for it again.
    flushSync(() => goTo("write"));
    client.cache.evict({ id: client.cache.identify(loaded) });
  }

  return (
    <>
      {theirs && (
        <section className="notice" aria-labelledby="conflict">
          <h2 id="conflict">This post has changed since you opened it</h2>
          <p>Yours is not saved yet. Save it again, and it replaces this version:</p>
          <h3>{theirs.title}</h3>
          <Markdown text={theirs.content} />
          <button type="button" onClick={() => goOnWith(theirs)}>
            Go on with this one
          </button>
        </section>
      )}
      {saved.reviewNote && (
        <section className="notice" aria-labelledby="returned">
          <h2 id="returned">This post has been returned</h2>
          <p>{saved.reviewNote}</p>
        </section>
      )}
      <PostForm
        key={form}
        post={initial}
        saved={saved}
        save={save}
        {...(isPublished && {
          keep: (input: PostInput) => keep({ variables: { id: loaded.id, input } }),
          discard: discardChanges,
          isKept: Boolean(workingCopy),
        })}
      />
      <div className="actions">
        <a className="button quiet" href={linkTo("history", loaded.id)}>
          Earlier versions
        </a>
        {saved.status === "SUBMITTED" && rights.includes("EDIT_ANY_POST") && (
          <Dialog label="Return to the author" title={`Return “${saved.title}”?`}>
            <Form
              act={async ({ note }) => {
                await giveBack({ variables: { id: loaded.id, note: note || null } });
                goTo("review");
              }}
              submit="Return it"
            >
              <Field name="note" label="What should change?" rows={4} maxLength={1000} />
            </Form>
          </Dialog>
        )}
        {(!isPublished || rights.includes("PUBLISH")) && (
          <Dialog label="Delete" title={`Delete “${saved.title}”?`}>
            <p>The post and its comments go to the trash, from where they can be restored for 30 days.</p>
            <Action className="primary" act={removePost}>
              Delete it
            </Action>
          </Dialog>
        )}
      </div>
    </>
  );
}

type PostInput = VariablesOf<typeof createMutation>["input"];

interface PostFormProps {
  /** What the fields begin with. */
  post?: EditablePost;
  /** The post as it is now. */
  saved?: EditablePost;
  save(input: PostInput): Promise<void>;
  /** Keeps what is typed, where readers do not see it yet. */
  keep?(input: PostInput): Promise<unknown>;
  discard?(): Promise<void>;
  /** Whether there is something to discard. */
  isKept?: boolean;
}

/** Keeps the fields of a form a second after the last key. What is wrong with them is said when they are published. */
function useKept(keep: PostFormProps["keep"], isKept = false) {
  const [kept, setKept] = useState(isKept);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  function typed(form: HTMLFormElement): void {
    clearTimeout(timer.current);
    setKept(false);
    const fields = Object.fromEntries(new FormData(form)) as Record<string, string>;
    timer.current = setTimeout(
      () =>
        keep?.(textsOf(fields)).then(
          () => setKept(true),
          () => {},
        ),
      1_000,
    );
  }
  return { kept, typed, stop: () => clearTimeout(timer.current) };
}

function textsOf({ title = "", content = "", tags = "" }: Record<string, string>): PostInput {
  return { title, content, tags: tags.split(",").filter((tag) => tag.trim() !== "") };
}

function PostForm({ post, saved, save, keep, discard, isKept }: PostFormProps) {
  const { kept, typed, stop } = useKept(keep, isKept);
  async function act({ publishAt = "", act, ...texts }: Record<string, string>) {
    stop();
    await save({ ...textsOf(texts), ...change(act, publishAt) });
  }
  const isPublished = saved?.status === "PUBLISHED";
  const mayPublish = useRights().includes("PUBLISH");
  const button = (value: string, text: string, className?: string) => (
    <button type="submit" name="act" value={value} className={className}>
      {text}
    </button>
  );
  return (
    <Form
      act={act}
      {...(keep && { typed })}
      done="Saved."
      submit={
        isPublished ? (
          <>
            {mayPublish && button("save", "Publish changes", "primary")}
            {mayPublish && button("draft", "Back to draft")}
            {discard && kept && <Action act={discard}>Discard changes</Action>}
            {kept && <span role="status">Your changes are kept. Readers do not see them yet.</span>}
          </>
        ) : (
          <>
            {mayPublish && button("publish", "Publish", "primary")}
            {!mayPublish && saved?.status !== "SUBMITTED" && button("submit", "Submit for review", "primary")}
            {button("save", saved?.status === "SUBMITTED" ? "Save" : "Save draft")}
            {saved?.status === "SUBMITTED" && button("draft", "Back to draft")}
            {saved?.status === "SUBMITTED" && <span role="status">Waits for review.</span>}
          </>
        )
      }
    >
      <Field name="title" label="Title" required maxLength={200} defaultValue={post?.title} />
      <Field
        name="content"
        label="Text"
        hint="Markdown: **bold**, *italic*, ## heading, [link](https://…), > quotation."
        required
        rows={14}
        defaultValue={post?.content}
      />
      <Field
        name="tags"
        label="Tags"
        hint="Separated by commas."
        defaultValue={post?.tags?.map(({ name }) => name).join(", ")}
      />
      {!isPublished && mayPublish && (
        <div className="line">
          <Field
            name="publishAt"
            label="Publish later, at"
            type="datetime-local"
            defaultValue={saved?.publishAt ? localTime(saved.publishAt) : ""}
          />
          {button("schedule", "Schedule")}
          {saved?.publishAt && button("unschedule", "Do not publish then")}
        </div>
      )}
      {saved?.publishAt && (
        <p role="status">
          Scheduled for <Time of={saved.publishAt} precise />.
        </p>
      )}
    </Form>
  );
}

/** What a button changes besides the texts. What is left out stays: a saved draft keeps its time. */
function change(act: string | undefined, publishAt: string): Pick<PostInput, "status" | "publishAt"> {
  switch (act) {
    case "publish":
      return { status: "PUBLISHED" };
    case "submit":
      return { status: "SUBMITTED" };
    case "draft":
      return { status: "DRAFT" };
    case "schedule":
      // The service says what is wrong with a time that is missing.
      return { publishAt: publishAt && new Date(publishAt).toISOString() };
    case "unschedule":
      return { publishAt: null };
    default:
      return {};
  }
}

/** A timestamp as `<input type="datetime-local">` has it: in the browser’s zone, and without one. */
function localTime(timestamp: string): string {
  const date = new Date(timestamp);
  date.setMinutes(date.getMinutes() - date.getTimezoneOffset());
  return date.toISOString().slice(0, 16);
}
