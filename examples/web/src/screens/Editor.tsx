import { useApolloClient, useMutation, useQuery } from "@apollo/client/react";
import { type FormEvent, useState } from "react";
import { faultsOf } from "../client";
import { type FragmentOf, graphql, type VariablesOf } from "../graphql";
import { Faults, useAction, viewerFragment, Waiting } from "../parts";
import { goTo, linkTo } from "../router";

const draftsQuery = graphql(
  `
  query Drafts {
    me { ...Viewer postsConnection(status: DRAFT, first: 20) { edges { node { id title } } } }
  }
`,
  [viewerFragment],
);

const editableFragment = graphql(`
  fragment EditablePost on Post { id slug title content status tags { id name } version }
`);
type EditablePost = FragmentOf<typeof editableFragment>;

const editQuery = graphql(
  `
  query EditPost($id: ID!) { me { ...Viewer } post(id: $id) { ...EditablePost } }
`,
  [viewerFragment, editableFragment],
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

/** An empty editor, and the drafts to go on with. */
export function NewPost() {
  const { data, error } = useQuery(draftsQuery);
  const [create] = useMutation(createMutation);
  if (!data?.me) return <Waiting error={error} />;
  const drafts = data.me.postsConnection?.edges ?? [];
  return (
    <>
      <title>Write</title>
      <h1>Write</h1>
      <PostForm
        save={async (input) => {
          const { data } = await create({ variables: { input, idempotencyKey: crypto.randomUUID() } });
          if (data?.createPost) showSaved(data.createPost);
        }}
      />
      {drafts.length > 0 && <h2>Your drafts</h2>}
      <ul>
        {drafts.map(({ node }) => (
          <li key={node.id}>
            <a href={linkTo("write", node.id)}>{node.title}</a>
          </li>
        ))}
      </ul>
    </>
  );
}

function showSaved({ id, slug, status }: EditablePost): void {
  if (status === "PUBLISHED") goTo("post", slug);
  else goTo("write", id);
}

export function EditPost({ id }: { id: string }) {
  // From the service: what the cache has may be older than what others have written.
  const { data, error } = useQuery(editQuery, { variables: { id }, fetchPolicy: "network-only" });
  if (!data?.post) return <Waiting error={error} />;
  return (
    <>
      <title>Edit</title>
      <h1>Edit</h1>
      <Editor loaded={data.post} />
    </>
  );
}

function Editor({ loaded }: { loaded: EditablePost }) {
  const client = useApolloClient();
  const [initial, setInitial] = useState(loaded);
  // Of the version that the author has seen. The cache may get newer ones.
  const [ifVersion, setIfVersion] = useState(loaded.version);
  // What somebody else has saved meanwhile.
  const [theirs, setTheirs] = useState<EditablePost>();
  const [update] = useMutation(updateMutation);

  async function save(input: PostInput): Promise<void> {
    const { id } = loaded;
    try {
      const { data } = await update({ variables: { id, input, ifVersion } });
      if (!data?.updatePost) return;
      setIfVersion(data.updatePost.version);
      setTheirs(undefined);
      showSaved(data.updatePost);
    } catch (error) {
      if (!faultsOf(error).some(({ reason }) => reason === "CHANGED")) throw error;
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
    setTheirs(undefined);
  }

  return (
    <>
      {theirs && (
        <section className="comment" aria-labelledby="conflict">
          <h2 id="conflict">This post has changed since you opened it</h2>
          <p>Yours is not saved yet. Save it again, and it replaces this version:</p>
          <h3>{theirs.title}</h3>
          <p className="text">{theirs.content}</p>
          <button type="button" onClick={() => goOnWith(theirs)}>
            Go on with this one
          </button>
        </section>
      )}
      <PostForm key={initial.version} post={initial} isPublished={loaded.status === "PUBLISHED"} save={save} />
    </>
  );
}

type PostInput = Pick<VariablesOf<typeof updateMutation>["input"], "status"> & {
  title: string;
  content: string;
  tags: string[];
};

interface PostFormProps {
  post?: EditablePost;
  isPublished?: boolean;
  save(input: PostInput): Promise<void>;
}

function PostForm({ post, isPublished, save }: PostFormProps) {
  const { busy, error, done, run } = useAction(async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    const values = new FormData(event.currentTarget, submitter);
    const text = (name: string) => String(values.get(name));
    const tags = text("tags")
      .split(",")
      .filter((tag) => tag.trim() !== "");
    const status = text("status") as NonNullable<PostInput["status"]>;
    await save({ title: text("title"), content: text("content"), tags, status });
  });
  return (
    <form onSubmit={run}>
      <label>
        Title
        <input name="title" required maxLength={200} defaultValue={post?.title} />
      </label>
      <label>
        Text
        <textarea name="content" required rows={12} defaultValue={post?.content} />
      </label>
      <label>
        Tags, separated by commas
        <input name="tags" defaultValue={post?.tags?.map(({ name }) => name).join(", ")} />
      </label>
      <Faults error={error} />
      <button type="submit" name="status" value="PUBLISHED" disabled={busy}>
        {isPublished ? "Save" : "Publish"}
      </button>
      <button type="submit" name="status" value="DRAFT" disabled={busy}>
        {isPublished ? "Back to draft" : "Save draft"}
      </button>
      {done && <span role="status">Done.</span>}
    </form>
  );
}
