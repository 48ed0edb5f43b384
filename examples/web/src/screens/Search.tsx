import { skipToken, useQuery } from "@apollo/client/react";
import type { FormEvent } from "react";
import { graphql } from "../graphql";
import { AskViewer, Byline, counted, More, postCardFragment, viewerFragment, Waiting } from "../parts";
import { goTo, linkTo } from "../router";

const searchQuery = graphql(
  `
  query Search($text: String!, $after: Cursor) {
    me { ...Viewer }
    searchConnection(text: $text, first: 10, after: $after) {
      edges { node { titleHtml fragmentsHtml post { ...PostCard } } }
      pageInfo { hasNextPage endCursor }
      totalCount
    }
  }
`,
  [viewerFragment, postCardFragment],
);

export function Search({ text }: { text: string }) {
  const { data, error, fetchMore, refetch } = useQuery(searchQuery, text === "" ? skipToken : { variables: { text } });
  const found = data?.searchConnection;
  return (
    <>
      <title>{text === "" ? "Search" : `Search: ${text}`}</title>
      <h1>Search</h1>
      <SearchForm text={text} />
      {text === "" && <AskViewer />}
      {text !== "" && !found && <Waiting error={error} retry={refetch} />}
      {found && (
        <p role="status" className="small">
          {found.totalCount === 0 ? "Nothing found." : counted(found.totalCount, "post")}
        </p>
      )}
      {found?.edges.map(({ node: { post, titleHtml, fragmentsHtml } }) => (
        <article className="card" key={post.id}>
          <h2 className="headline">
            <a href={linkTo("posts", post.slug)}>
              <SafeHtml html={titleHtml} />
            </a>
          </h2>
          <p className="excerpt">
            <SafeHtml html={fragmentsHtml} />
          </p>
          <Byline post={post} />
        </article>
      ))}
      <More pageInfo={found?.pageInfo} load={fetchMore} />
    </>
  );
}

export function SearchForm({ text }: { text?: string }) {
  function search(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    goTo("search", String(new FormData(event.currentTarget).get("text")));
  }
  return (
    <search>
      <form onSubmit={search} className="line">
        <input name="text" type="search" aria-label="Search" required maxLength={200} defaultValue={text} />
        <button type="submit" className="primary">
          Search
        </button>
      </form>
    </search>
  );
}

/** The service promises that these two fields are escaped text with `<mark>`. Never do this with another field. */
function SafeHtml({ html }: { html: string }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: the schema says that it is safe.
  return <span dangerouslySetInnerHTML={{ __html: html }} />;
}
