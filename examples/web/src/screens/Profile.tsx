import { useMutation, useQuery } from "@apollo/client/react";
import { Action, Field, Form } from "../forms";
import { type FragmentOf, graphql } from "../graphql";
import {
  Avatar,
  counted,
  More,
  Person,
  PostCard,
  personFragment,
  postCardFragment,
  Time,
  viewerFragment,
  Waiting,
} from "../parts";
import { goTo } from "../router";
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
      followersConnection(first: 12) { edges { node { ...Person } } }
      postsConnection(status: PUBLISHED, first: 10, after: $after) {
        edges { node { ...PostCard } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`,
  [viewerFragment, personFragment, postCardFragment, profileFragment],
);

const followMutation = graphql(
  `
  mutation Follow($userId: ID!) { followUser(userId: $userId) { user { ...ProfileParts } viewer { id following { count } } } }
`,
  [profileFragment],
);
const unfollowMutation = graphql(
  `
  mutation Unfollow($userId: ID!) { unfollowUser(userId: $userId) { user { ...ProfileParts } viewer { id following { count } } } }
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
  const { data, error, fetchMore, refetch } = useQuery(profileQuery, { variables: { id } });
  const userId = useUserId();
  const user = data?.user;
  if (!user) return <Waiting error={error} retry={refetch} />;
  const followers = user.followersConnection?.edges ?? [];
  return (
    <>
      <title>{user.name}</title>
      <div className="profile">
        <Avatar person={user} />
        <div>
          <h1>{user.name}</h1>
          {user.bio && <p className="excerpt">{user.bio}</p>}
          <p className="line small">
            <span>
              Since <Time of={user.createdAt} />
            </span>
            <span>
              {counted(user.followers.count, "follower")} · follows {user.following.count}
            </span>
          </p>
          {userId !== undefined && id !== userId && <Actions user={user} />}
        </div>
      </div>
      {id === userId && <ProfileForm user={user} />}
      <h2 className="section">Posts</h2>
      {user.postsConnection?.edges.map(({ node }) => (
        <PostCard key={node.id} post={node} isAuthorNamed />
      ))}
      {user.postsConnection?.edges.length === 0 && <p>None yet.</p>}
      <More pageInfo={user.postsConnection?.pageInfo} load={fetchMore} />
      {followers.length > 0 && (
        <>
          <h2 className="section">Newest followers</h2>
          <ul className="people">
            {followers.map(({ node }) => (
              <li key={node.id}>
                <Person person={node} />
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function Actions({ user }: { user: ProfileParts }) {
  const variables = { userId: user.id };
  const [follow] = useMutation(user.isFollowedByMe ? unfollowMutation : followMutation, { variables });
  const [openChat] = useMutation(chatMutation, { variables });
  async function chat() {
    const { data } = await openChat();
    if (data?.openDirectChat) goTo("chats", data.openDirectChat.id);
  }
  return (
    <div className="actions">
      <Action className={user.isFollowedByMe ? undefined : "primary"} act={() => follow()}>
        {user.isFollowedByMe ? "Unfollow" : "Follow"}
      </Action>
      <Action act={chat}>Chat</Action>
    </div>
  );
}

function ProfileForm({ user }: { user: ProfileParts }) {
  const [update] = useMutation(updateMutation);
  return (
    <details>
      <summary>Edit your profile</summary>
      <Form submit="Save" done="Saved." act={(input) => update({ variables: { input } })}>
        <Field name="name" label="Name" required defaultValue={user.name} />
        <Field name="bio" label="About you" rows={3} defaultValue={user.bio ?? ""} />
        <Field name="avatar" label="URL of your picture" type="url" defaultValue={user.avatar ?? ""} />
      </Form>
    </details>
  );
}
