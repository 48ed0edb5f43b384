/* Drawn on 24 by 24, in the colour of the text. */
const paths = {
  feed: "M4 5h16v14H4zM8 9h8M8 12h8M8 15h4",
  search: "M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM15.5 15.5 21 21",
  write: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  chats: "M4 5h16v11H10l-5 4v-4H4z",
  bell: "M6 17V11a6 6 0 0 1 12 0v6l2 1H4zM10 21h4",
};
export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 24 24" width="22" height="22">
      <path d={paths[name]} fill="none" stroke="currentColor" strokeWidth="1.6" strokeLinejoin="round" />
    </svg>
  );
}
