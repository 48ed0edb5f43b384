/* Read by relay-compiler (relay.config.json). The tests use what it writes. */
import { graphql } from "relay-runtime";

graphql`query AppQuery { user(id: "1") { id name ...App_user } ...App_posts }`;
graphql`fragment App_user on User @refetchable(queryName: "AppUserQuery") { bio }`;
graphql`
  fragment App_posts on Query
    @refetchable(queryName: "AppPostsQuery")
    @argumentDefinitions(count: { type: "Int", defaultValue: 2 }, cursor: { type: "Cursor" }) {
    postsConnection(first: $count, after: $cursor) @connection(key: "App_postsConnection") {
      edges { node { id title author { id name } } }
    }
  }`;
graphql`
  mutation AppDeleteMutation($id: ID!, $connections: [ID!]!) {
    deletePost(id: $id) { deletedNodeId @deleteEdge(connections: $connections) }
  }`;
graphql`
  mutation AppCreateMutation($input: CreatePostInput!, $connections: [ID!]!) {
    createPost(input: $input) @prependNode(connections: $connections, edgeTypeName: "PostEdge") { id title }
  }`;
graphql`
  subscription AppCommentSubscription($postId: ID!, $after: ID, $connections: [ID!]!) {
    commentAdded(postId: $postId, after: $after) @appendNode(connections: $connections, edgeTypeName: "CommentEdge") {
      id text post { commentsCount }
    }
  }`;
graphql`
  query AppCommentsQuery($id: ID!) {
    post(id: $id) {
      commentsCount
      commentsConnection(first: 20) @connection(key: "App_commentsConnection") { __id edges { node { id text } } }
    }
  }`;
graphql`
  subscription AppCommentDeletedSubscription($postId: ID!, $after: ID, $connections: [ID!]!) {
    commentDeleted(postId: $postId, after: $after) {
      id deletedNodeId @deleteEdge(connections: $connections) post { commentsCount }
    }
  }`;
graphql`
  mutation AppCommentMutation($input: CreateCommentInput!, $connections: [ID!]!) {
    createComment(input: $input) @appendNode(connections: $connections, edgeTypeName: "CommentEdge") {
      id text post { commentsCount }
    }
  }`;
