import { useMutation, useQuery } from "@apollo/client/react";
import type { FormEvent } from "react";
import { type FragmentOf, graphql } from "../graphql";
import { Faults, More, PostCard, postCardFragment, useAction, viewerFragment, Waiting } from "../parts";
import { goTo, linkTo } from "../router";
import { useUserId } from "../session";

const profileFragment = graphql(`
  fragment ProfileParts on User {
    id name bio avatar createdAt isFollowedByMe followers { count } following { count }
  }
`);
type ProfileParts = FragmentOf<typeof profileFragment>;

const profileQuery = graphql(
  `
  query Profile($id: ID!, $after: Cursor) {
    me { ...Viewer }
    user(id: $id) {
      ...ProfileParts
      followersConnection(first: 12) { edges { node { id name } } }
      postsConnection(status: PUBLISHED, first: 10, after: $after) {
        edges { node { ...PostCard } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`,
  [viewerFragment, postCardFragment, profileFragment],
);

const followMutation = graphql(
  `
  mutation Follow($userId: ID!) { followUser(userId: $userId) { ...ProfileParts } }
`,
  [profileFragment],
);
const unfollowMutation = graphql(
  `
  mutation Unfollow($userId: ID!) { unfollowUser(userId: $userId) { ...ProfileParts } }
`,
  [profileFragment],
);
const chatMutation = graphql(`
  mutation OpenDirectChat($userId: ID!) { openDirectChat(userId: $userId) { id } }
`);
const updateMutation = graphql(
  `
  mutation UpdateProfile($input: UpdateProfileInput!) { updateProfile(input: $input) { ...ProfileParts } }
`,
  [profileFragment],
);

export function Profile({ id }: { id: string }) {
  const { data, error, fetchMore } = useQuery(profileQuery, { variables: { id } });
  const userId = useUserId();
  const user = data?.user;
  if (!user) return <Waiting error={error} />;
  const followers = user.followersConnection?.edges ?? [];
  return (
    <>
      <title>{user.name}</title>
      <h1>{user.name}</h1>
      <p>{user.bio}</p>
      <p className="small">
        Since <time dateTime={user.createdAt}>{new Date(user.createdAt).toLocaleDateString()}</time> ·{" "}
        {user.followers.count} followers · follows {user.following.count}
      </p>
      {id === userId && <ProfileForm user={user} />}
      {userId !== undefined && id !== userId && <Actions user={user} />}
      <h2>Posts</h2>
      {user.postsConnection?.edges.map(({ node }) => (
        <PostCard key={node.id} post={node} />
      ))}
      <More pageInfo={user.postsConnection?.pageInfo} load={fetchMore} />
      <h2>Newest followers</h2>
      <ul>
        {followers.map(({ node }) => (
          <li key={node.id}>
            <a href={linkTo("user", node.id)}>{node.name}</a>
          </li>
        ))}
      </ul>
    </>
  );
}

function Actions({ user }: { user: ProfileParts }) {
  const variables = { userId: user.id };
  const [follow] = useMutation(user.isFollowedByMe ? unfollowMutation : followMutation, { variables });
  const [openChat] = useMutation(chatMutation, { variables });
  const { busy, error, run } = useAction((act: () => Promise<unknown>) => act());
  async function chat() {
    const { data } = await openChat();
    if (data?.openDirectChat) goTo("chats", data.openDirectChat.id);
  }
  return (
    <>
      <button type="button" disabled={busy} onClick={() => run(follow)}>
        {user.isFollowedByMe ? "Unfollow" : "Follow"}
      </button>
      <button type="button" disabled={busy} onClick={() => run(chat)}>
        Chat
      </button>
      <Faults error={error} />
    </>
  );
}

function ProfileForm({ user }: { user: ProfileParts }) {
  const [update] = useMutation(updateMutation);
  const { busy, error, done, run } = useAction(async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const input = Object.fromEntries(new FormData(event.currentTarget));
    await update({ variables: { input } });
  });
  return (
    <details>
      <summary>Edit your profile</summary>
      <form onSubmit={run}>
        <label>
          Name
          <input name="name" required defaultValue={user.name} />
        </label>
        <label>
          About you
          <textarea name="bio" rows={3} defaultValue={user.bio ?? ""} />
        </label>
        <label>
          URL of your picture
          <input name="avatar" type="url" defaultValue={user.avatar ?? ""} />
        </label>
        <Faults error={error} />
        <button type="submit" disabled={busy}>
          Save
        </button>
        {done && <span role="status">Saved.</span>}
      </form>
    </details>
  );
}
