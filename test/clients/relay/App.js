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
graphql`mutation AppDeleteMutation($id: ID!) { deletePost(id: $id) { deletedNodeId @deleteRecord } }`;
