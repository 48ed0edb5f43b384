/* eslint-disable */
import * as types from './graphql';
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';

/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "\n  query Viewer { me { ...Viewer } }\n\n  fragment Viewer on User { id name unreadNotificationsCount }\n": typeof types.ViewerDocument,
    "\n  fragment PostCard on Post { id slug title excerpt status publishedAt commentsCount author { id name } tags { id name } }\n": typeof types.PostCardFragmentDoc,
    "\n  query Chat($id: ID!, $after: Cursor) {\n    me { ...Viewer }\n    chat(id: $id) {\n      ...ChatLine\n      messagesConnection(first: 30, after: $after) {\n        edges { node { ...MessageParts } }\n        pageInfo { hasNextPage endCursor }\n      }\n    }\n  }\n\n  fragment MessageParts on Message { id text createdAt(format: DATE_TIME) sender { id name } }\n": typeof types.ChatDocument,
    "\n  subscription MessageAdded($chatId: ID!, $after: ID) {\n    messageAdded(chatId: $chatId, after: $after) { ...MessageParts }\n  }\n": typeof types.MessageAddedDocument,
    "\n  mutation Send($chatId: ID!, $text: String!, $idempotencyKey: String!) {\n    sendMessage(chatId: $chatId, text: $text, idempotencyKey: $idempotencyKey) { id }\n  }\n": typeof types.SendDocument,
    "\n  mutation MarkChatRead($chatId: ID!, $messageId: ID!) {\n    markChatRead(chatId: $chatId, messageId: $messageId) { id unreadCount }\n  }\n": typeof types.MarkChatReadDocument,
    "\n  query Chats { me { ...Viewer inbox(limit: 15) { chat { ...ChatLine } } } }\n\n  fragment ChatLine on Chat {\n    id title isDirect unreadCount lastActivityAt\n    lastMessage { id text sender { id name } }\n    members(limit: 5) { id name }\n  }\n": typeof types.ChatsDocument,
    "\n  subscription NewMessages($chatId: ID!, $after: ID) {\n    messageAdded(chatId: $chatId, after: $after) { id chat { ...ChatLine } }\n  }\n": typeof types.NewMessagesDocument,
    "\n  query Drafts {\n    me { ...Viewer postsConnection(status: DRAFT, first: 20) { edges { node { id title } } } }\n  }\n": typeof types.DraftsDocument,
    "\n  query EditPost($id: ID!) { me { ...Viewer } post(id: $id) { ...EditablePost } }\n\n  fragment EditablePost on Post { id slug title content status tags { id name } updatedAt(format: DATE_TIME) }\n": typeof types.EditPostDocument,
    "\n  mutation CreatePost($input: CreatePostInput!, $idempotencyKey: String!) {\n    createPost(input: $input, idempotencyKey: $idempotencyKey) { ...EditablePost }\n  }\n": typeof types.CreatePostDocument,
    "\n  mutation UpdatePost($id: ID!, $input: UpdatePostInput!, $ifUpdatedAt: Timestamp!) {\n    updatePost(id: $id, input: $input, ifUpdatedAt: $ifUpdatedAt) { ...EditablePost }\n  }\n": typeof types.UpdatePostDocument,
    "\n  query Feed($after: Cursor) {\n    me { ...Viewer }\n    feedConnection(first: 10, after: $after) {\n      edges { node { ...PostCard } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.FeedDocument,
    "\n  query Notifications($after: Cursor) {\n    me { ...Viewer }\n    notificationsConnection(first: 20, after: $after) {\n      edges { node { id kind createdAt readAt actor { id name } post { id slug title } comment { id text } } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.NotificationsDocument,
    "\n  mutation MarkNotificationsRead($upToId: ID!) { markNotificationsRead(upToId: $upToId) { ...Viewer } }\n": typeof types.MarkNotificationsReadDocument,
    "\n  query Post($slug: String!, $after: Cursor) {\n    me { ...Viewer }\n    postBySlug(slug: $slug) {\n      ...PostCard\n      content\n      commentsConnection(first: 20, after: $after, topLevel: true) {\n        edges { node { ...CommentParts replies(limit: 20) { ...CommentParts } } }\n        pageInfo { hasNextPage endCursor }\n      }\n    }\n  }\n\n  fragment CommentParts on Comment { id text createdAt author { id name } }\n": typeof types.PostDocument,
    "\n  mutation Comment($postId: ID!, $replyToId: ID, $text: String!, $idempotencyKey: String!) {\n    createComment(postId: $postId, replyToId: $replyToId, text: $text, idempotencyKey: $idempotencyKey) { id }\n  }\n": typeof types.CommentDocument,
    "\n  query Profile($id: ID!, $after: Cursor) {\n    me { ...Viewer }\n    user(id: $id) {\n      ...ProfileParts\n      followersConnection(first: 12) { edges { node { id name } } }\n      postsConnection(status: PUBLISHED, first: 10, after: $after) {\n        edges { node { ...PostCard } }\n        pageInfo { hasNextPage endCursor }\n      }\n    }\n  }\n\n  fragment ProfileParts on User {\n    id name bio avatar createdAt isFollowedByMe followers { count } following { count }\n  }\n": typeof types.ProfileDocument,
    "\n  mutation Follow($userId: ID!) { followUser(userId: $userId) { ...ProfileParts } }\n": typeof types.FollowDocument,
    "\n  mutation Unfollow($userId: ID!) { unfollowUser(userId: $userId) { ...ProfileParts } }\n": typeof types.UnfollowDocument,
    "\n  mutation OpenDirectChat($userId: ID!) { openDirectChat(userId: $userId) { id } }\n": typeof types.OpenDirectChatDocument,
    "\n  mutation UpdateProfile($input: UpdateProfileInput!) { updateProfile(input: $input) { ...ProfileParts } }\n": typeof types.UpdateProfileDocument,
    "\n  query Search($text: String!, $after: Cursor) {\n    me { ...Viewer }\n    searchConnection(text: $text, first: 10, after: $after) {\n      edges { node { titleHtml fragmentsHtml post { ...PostCard } } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.SearchDocument,
    "\n  fragment Tokens on Session { accessToken expiresIn refreshToken userId }\n": typeof types.TokensFragmentDoc,
    "\n  mutation SignIn($email: String!, $password: String!) { signIn(email: $email, password: $password) { ...Tokens } }\n": typeof types.SignInDocument,
    "\n  mutation Refresh($refreshToken: String!) { refreshSession(refreshToken: $refreshToken) { ...Tokens } }\n": typeof types.RefreshDocument,
    "\n  mutation SignOut($refreshToken: String!) { signOut(refreshToken: $refreshToken) }\n": typeof types.SignOutDocument,
};
const documents: Documents = {
    "\n  query Viewer { me { ...Viewer } }\n\n  fragment Viewer on User { id name unreadNotificationsCount }\n": types.ViewerDocument,
    "\n  fragment PostCard on Post { id slug title excerpt status publishedAt commentsCount author { id name } tags { id name } }\n": types.PostCardFragmentDoc,
    "\n  query Chat($id: ID!, $after: Cursor) {\n    me { ...Viewer }\n    chat(id: $id) {\n      ...ChatLine\n      messagesConnection(first: 30, after: $after) {\n        edges { node { ...MessageParts } }\n        pageInfo { hasNextPage endCursor }\n      }\n    }\n  }\n\n  fragment MessageParts on Message { id text createdAt(format: DATE_TIME) sender { id name } }\n": types.ChatDocument,
    "\n  subscription MessageAdded($chatId: ID!, $after: ID) {\n    messageAdded(chatId: $chatId, after: $after) { ...MessageParts }\n  }\n": types.MessageAddedDocument,
    "\n  mutation Send($chatId: ID!, $text: String!, $idempotencyKey: String!) {\n    sendMessage(chatId: $chatId, text: $text, idempotencyKey: $idempotencyKey) { id }\n  }\n": types.SendDocument,
    "\n  mutation MarkChatRead($chatId: ID!, $messageId: ID!) {\n    markChatRead(chatId: $chatId, messageId: $messageId) { id unreadCount }\n  }\n": types.MarkChatReadDocument,
    "\n  query Chats { me { ...Viewer inbox(limit: 15) { chat { ...ChatLine } } } }\n\n  fragment ChatLine on Chat {\n    id title isDirect unreadCount lastActivityAt\n    lastMessage { id text sender { id name } }\n    members(limit: 5) { id name }\n  }\n": types.ChatsDocument,
    "\n  subscription NewMessages($chatId: ID!, $after: ID) {\n    messageAdded(chatId: $chatId, after: $after) { id chat { ...ChatLine } }\n  }\n": types.NewMessagesDocument,
    "\n  query Drafts {\n    me { ...Viewer postsConnection(status: DRAFT, first: 20) { edges { node { id title } } } }\n  }\n": types.DraftsDocument,
    "\n  query EditPost($id: ID!) { me { ...Viewer } post(id: $id) { ...EditablePost } }\n\n  fragment EditablePost on Post { id slug title content status tags { id name } updatedAt(format: DATE_TIME) }\n": types.EditPostDocument,
    "\n  mutation CreatePost($input: CreatePostInput!, $idempotencyKey: String!) {\n    createPost(input: $input, idempotencyKey: $idempotencyKey) { ...EditablePost }\n  }\n": types.CreatePostDocument,
    "\n  mutation UpdatePost($id: ID!, $input: UpdatePostInput!, $ifUpdatedAt: Timestamp!) {\n    updatePost(id: $id, input: $input, ifUpdatedAt: $ifUpdatedAt) { ...EditablePost }\n  }\n": types.UpdatePostDocument,
    "\n  query Feed($after: Cursor) {\n    me { ...Viewer }\n    feedConnection(first: 10, after: $after) {\n      edges { node { ...PostCard } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.FeedDocument,
    "\n  query Notifications($after: Cursor) {\n    me { ...Viewer }\n    notificationsConnection(first: 20, after: $after) {\n      edges { node { id kind createdAt readAt actor { id name } post { id slug title } comment { id text } } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.NotificationsDocument,
    "\n  mutation MarkNotificationsRead($upToId: ID!) { markNotificationsRead(upToId: $upToId) { ...Viewer } }\n": types.MarkNotificationsReadDocument,
    "\n  query Post($slug: String!, $after: Cursor) {\n    me { ...Viewer }\n    postBySlug(slug: $slug) {\n      ...PostCard\n      content\n      commentsConnection(first: 20, after: $after, topLevel: true) {\n        edges { node { ...CommentParts replies(limit: 20) { ...CommentParts } } }\n        pageInfo { hasNextPage endCursor }\n      }\n    }\n  }\n\n  fragment CommentParts on Comment { id text createdAt author { id name } }\n": types.PostDocument,
    "\n  mutation Comment($postId: ID!, $replyToId: ID, $text: String!, $idempotencyKey: String!) {\n    createComment(postId: $postId, replyToId: $replyToId, text: $text, idempotencyKey: $idempotencyKey) { id }\n  }\n": types.CommentDocument,
    "\n  query Profile($id: ID!, $after: Cursor) {\n    me { ...Viewer }\n    user(id: $id) {\n      ...ProfileParts\n      followersConnection(first: 12) { edges { node { id name } } }\n      postsConnection(status: PUBLISHED, first: 10, after: $after) {\n        edges { node { ...PostCard } }\n        pageInfo { hasNextPage endCursor }\n      }\n    }\n  }\n\n  fragment ProfileParts on User {\n    id name bio avatar createdAt isFollowedByMe followers { count } following { count }\n  }\n": types.ProfileDocument,
    "\n  mutation Follow($userId: ID!) { followUser(userId: $userId) { ...ProfileParts } }\n": types.FollowDocument,
    "\n  mutation Unfollow($userId: ID!) { unfollowUser(userId: $userId) { ...ProfileParts } }\n": types.UnfollowDocument,
    "\n  mutation OpenDirectChat($userId: ID!) { openDirectChat(userId: $userId) { id } }\n": types.OpenDirectChatDocument,
    "\n  mutation UpdateProfile($input: UpdateProfileInput!) { updateProfile(input: $input) { ...ProfileParts } }\n": types.UpdateProfileDocument,
    "\n  query Search($text: String!, $after: Cursor) {\n    me { ...Viewer }\n    searchConnection(text: $text, first: 10, after: $after) {\n      edges { node { titleHtml fragmentsHtml post { ...PostCard } } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.SearchDocument,
    "\n  fragment Tokens on Session { accessToken expiresIn refreshToken userId }\n": types.TokensFragmentDoc,
    "\n  mutation SignIn($email: String!, $password: String!) { signIn(email: $email, password: $password) { ...Tokens } }\n": types.SignInDocument,
    "\n  mutation Refresh($refreshToken: String!) { refreshSession(refreshToken: $refreshToken) { ...Tokens } }\n": types.RefreshDocument,
    "\n  mutation SignOut($refreshToken: String!) { signOut(refreshToken: $refreshToken) }\n": types.SignOutDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 *
 *
 * @example
 * ```ts
 * const query = graphql(`query GetUser($id: ID!) { user(id: $id) { name } }`);
 * ```
 *
 * The query argument is unknown!
 * Please regenerate the types.
 */
export function graphql(source: string): unknown;

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Viewer { me { ...Viewer } }\n\n  fragment Viewer on User { id name unreadNotificationsCount }\n"): (typeof documents)["\n  query Viewer { me { ...Viewer } }\n\n  fragment Viewer on User { id name unreadNotificationsCount }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment PostCard on Post { id slug title excerpt status publishedAt commentsCount author { id name } tags { id name } }\n"): (typeof documents)["\n  fragment PostCard on Post { id slug title excerpt status publishedAt commentsCount author { id name } tags { id name } }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Chat($id: ID!, $after: Cursor) {\n    me { ...Viewer }\n    chat(id: $id) {\n      ...ChatLine\n      messagesConnection(first: 30, after: $after) {\n        edges { node { ...MessageParts } }\n        pageInfo { hasNextPage endCursor }\n      }\n    }\n  }\n\n  fragment MessageParts on Message { id text createdAt(format: DATE_TIME) sender { id name } }\n"): (typeof documents)["\n  query Chat($id: ID!, $after: Cursor) {\n    me { ...Viewer }\n    chat(id: $id) {\n      ...ChatLine\n      messagesConnection(first: 30, after: $after) {\n        edges { node { ...MessageParts } }\n        pageInfo { hasNextPage endCursor }\n      }\n    }\n  }\n\n  fragment MessageParts on Message { id text createdAt(format: DATE_TIME) sender { id name } }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription MessageAdded($chatId: ID!, $after: ID) {\n    messageAdded(chatId: $chatId, after: $after) { ...MessageParts }\n  }\n"): (typeof documents)["\n  subscription MessageAdded($chatId: ID!, $after: ID) {\n    messageAdded(chatId: $chatId, after: $after) { ...MessageParts }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation Send($chatId: ID!, $text: String!, $idempotencyKey: String!) {\n    sendMessage(chatId: $chatId, text: $text, idempotencyKey: $idempotencyKey) { id }\n  }\n"): (typeof documents)["\n  mutation Send($chatId: ID!, $text: String!, $idempotencyKey: String!) {\n    sendMessage(chatId: $chatId, text: $text, idempotencyKey: $idempotencyKey) { id }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation MarkChatRead($chatId: ID!, $messageId: ID!) {\n    markChatRead(chatId: $chatId, messageId: $messageId) { id unreadCount }\n  }\n"): (typeof documents)["\n  mutation MarkChatRead($chatId: ID!, $messageId: ID!) {\n    markChatRead(chatId: $chatId, messageId: $messageId) { id unreadCount }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Chats { me { ...Viewer inbox(limit: 15) { chat { ...ChatLine } } } }\n\n  fragment ChatLine on Chat {\n    id title isDirect unreadCount lastActivityAt\n    lastMessage { id text sender { id name } }\n    members(limit: 5) { id name }\n  }\n"): (typeof documents)["\n  query Chats { me { ...Viewer inbox(limit: 15) { chat { ...ChatLine } } } }\n\n  fragment ChatLine on Chat {\n    id title isDirect unreadCount lastActivityAt\n    lastMessage { id text sender { id name } }\n    members(limit: 5) { id name }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription NewMessages($chatId: ID!, $after: ID) {\n    messageAdded(chatId: $chatId, after: $after) { id chat { ...ChatLine } }\n  }\n"): (typeof documents)["\n  subscription NewMessages($chatId: ID!, $after: ID) {\n    messageAdded(chatId: $chatId, after: $after) { id chat { ...ChatLine } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Drafts {\n    me { ...Viewer postsConnection(status: DRAFT, first: 20) { edges { node { id title } } } }\n  }\n"): (typeof documents)["\n  query Drafts {\n    me { ...Viewer postsConnection(status: DRAFT, first: 20) { edges { node { id title } } } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query EditPost($id: ID!) { me { ...Viewer } post(id: $id) { ...EditablePost } }\n\n  fragment EditablePost on Post { id slug title content status tags { id name } updatedAt(format: DATE_TIME) }\n"): (typeof documents)["\n  query EditPost($id: ID!) { me { ...Viewer } post(id: $id) { ...EditablePost } }\n\n  fragment EditablePost on Post { id slug title content status tags { id name } updatedAt(format: DATE_TIME) }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreatePost($input: CreatePostInput!, $idempotencyKey: String!) {\n    createPost(input: $input, idempotencyKey: $idempotencyKey) { ...EditablePost }\n  }\n"): (typeof documents)["\n  mutation CreatePost($input: CreatePostInput!, $idempotencyKey: String!) {\n    createPost(input: $input, idempotencyKey: $idempotencyKey) { ...EditablePost }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdatePost($id: ID!, $input: UpdatePostInput!, $ifUpdatedAt: Timestamp!) {\n    updatePost(id: $id, input: $input, ifUpdatedAt: $ifUpdatedAt) { ...EditablePost }\n  }\n"): (typeof documents)["\n  mutation UpdatePost($id: ID!, $input: UpdatePostInput!, $ifUpdatedAt: Timestamp!) {\n    updatePost(id: $id, input: $input, ifUpdatedAt: $ifUpdatedAt) { ...EditablePost }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Feed($after: Cursor) {\n    me { ...Viewer }\n    feedConnection(first: 10, after: $after) {\n      edges { node { ...PostCard } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): (typeof documents)["\n  query Feed($after: Cursor) {\n    me { ...Viewer }\n    feedConnection(first: 10, after: $after) {\n      edges { node { ...PostCard } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Notifications($after: Cursor) {\n    me { ...Viewer }\n    notificationsConnection(first: 20, after: $after) {\n      edges { node { id kind createdAt readAt actor { id name } post { id slug title } comment { id text } } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): (typeof documents)["\n  query Notifications($after: Cursor) {\n    me { ...Viewer }\n    notificationsConnection(first: 20, after: $after) {\n      edges { node { id kind createdAt readAt actor { id name } post { id slug title } comment { id text } } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation MarkNotificationsRead($upToId: ID!) { markNotificationsRead(upToId: $upToId) { ...Viewer } }\n"): (typeof documents)["\n  mutation MarkNotificationsRead($upToId: ID!) { markNotificationsRead(upToId: $upToId) { ...Viewer } }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Post($slug: String!, $after: Cursor) {\n    me { ...Viewer }\n    postBySlug(slug: $slug) {\n      ...PostCard\n      content\n      commentsConnection(first: 20, after: $after, topLevel: true) {\n        edges { node { ...CommentParts replies(limit: 20) { ...CommentParts } } }\n        pageInfo { hasNextPage endCursor }\n      }\n    }\n  }\n\n  fragment CommentParts on Comment { id text createdAt author { id name } }\n"): (typeof documents)["\n  query Post($slug: String!, $after: Cursor) {\n    me { ...Viewer }\n    postBySlug(slug: $slug) {\n      ...PostCard\n      content\n      commentsConnection(first: 20, after: $after, topLevel: true) {\n        edges { node { ...CommentParts replies(limit: 20) { ...CommentParts } } }\n        pageInfo { hasNextPage endCursor }\n      }\n    }\n  }\n\n  fragment CommentParts on Comment { id text createdAt author { id name } }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation Comment($postId: ID!, $replyToId: ID, $text: String!, $idempotencyKey: String!) {\n    createComment(postId: $postId, replyToId: $replyToId, text: $text, idempotencyKey: $idempotencyKey) { id }\n  }\n"): (typeof documents)["\n  mutation Comment($postId: ID!, $replyToId: ID, $text: String!, $idempotencyKey: String!) {\n    createComment(postId: $postId, replyToId: $replyToId, text: $text, idempotencyKey: $idempotencyKey) { id }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Profile($id: ID!, $after: Cursor) {\n    me { ...Viewer }\n    user(id: $id) {\n      ...ProfileParts\n      followersConnection(first: 12) { edges { node { id name } } }\n      postsConnection(status: PUBLISHED, first: 10, after: $after) {\n        edges { node { ...PostCard } }\n        pageInfo { hasNextPage endCursor }\n      }\n    }\n  }\n\n  fragment ProfileParts on User {\n    id name bio avatar createdAt isFollowedByMe followers { count } following { count }\n  }\n"): (typeof documents)["\n  query Profile($id: ID!, $after: Cursor) {\n    me { ...Viewer }\n    user(id: $id) {\n      ...ProfileParts\n      followersConnection(first: 12) { edges { node { id name } } }\n      postsConnection(status: PUBLISHED, first: 10, after: $after) {\n        edges { node { ...PostCard } }\n        pageInfo { hasNextPage endCursor }\n      }\n    }\n  }\n\n  fragment ProfileParts on User {\n    id name bio avatar createdAt isFollowedByMe followers { count } following { count }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation Follow($userId: ID!) { followUser(userId: $userId) { ...ProfileParts } }\n"): (typeof documents)["\n  mutation Follow($userId: ID!) { followUser(userId: $userId) { ...ProfileParts } }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation Unfollow($userId: ID!) { unfollowUser(userId: $userId) { ...ProfileParts } }\n"): (typeof documents)["\n  mutation Unfollow($userId: ID!) { unfollowUser(userId: $userId) { ...ProfileParts } }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation OpenDirectChat($userId: ID!) { openDirectChat(userId: $userId) { id } }\n"): (typeof documents)["\n  mutation OpenDirectChat($userId: ID!) { openDirectChat(userId: $userId) { id } }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdateProfile($input: UpdateProfileInput!) { updateProfile(input: $input) { ...ProfileParts } }\n"): (typeof documents)["\n  mutation UpdateProfile($input: UpdateProfileInput!) { updateProfile(input: $input) { ...ProfileParts } }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Search($text: String!, $after: Cursor) {\n    me { ...Viewer }\n    searchConnection(text: $text, first: 10, after: $after) {\n      edges { node { titleHtml fragmentsHtml post { ...PostCard } } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): (typeof documents)["\n  query Search($text: String!, $after: Cursor) {\n    me { ...Viewer }\n    searchConnection(text: $text, first: 10, after: $after) {\n      edges { node { titleHtml fragmentsHtml post { ...PostCard } } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment Tokens on Session { accessToken expiresIn refreshToken userId }\n"): (typeof documents)["\n  fragment Tokens on Session { accessToken expiresIn refreshToken userId }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SignIn($email: String!, $password: String!) { signIn(email: $email, password: $password) { ...Tokens } }\n"): (typeof documents)["\n  mutation SignIn($email: String!, $password: String!) { signIn(email: $email, password: $password) { ...Tokens } }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation Refresh($refreshToken: String!) { refreshSession(refreshToken: $refreshToken) { ...Tokens } }\n"): (typeof documents)["\n  mutation Refresh($refreshToken: String!) { refreshSession(refreshToken: $refreshToken) { ...Tokens } }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation SignOut($refreshToken: String!) { signOut(refreshToken: $refreshToken) }\n"): (typeof documents)["\n  mutation SignOut($refreshToken: String!) { signOut(refreshToken: $refreshToken) }\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;