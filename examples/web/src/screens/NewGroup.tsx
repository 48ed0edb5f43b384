import { useMutation, useQuery } from "@apollo/client/react";
import { useState } from "react";
import { Field, Form, useIdempotencyKey } from "../forms";
import { type FragmentOf, graphql } from "../graphql";
import { Avatar, personFragment, viewerFragment, Waiting } from "../parts";
import { goTo } from "../router";

const peopleQuery = graphql(
  `
  query People($name: String) {
    me { ...Viewer }
    usersConnection(nameStartsWith: $name, first: 8) { nodes { ...Person } }
  }
`,
  [viewerFragment, personFragment],
);

const createMutation = graphql(`
  mutation CreateChat($title: String, $memberIds: [ID!]!, $idempotencyKey: String!) {
    createChat(title: $title, memberIds: $memberIds, idempotencyKey: $idempotencyKey) { id }
  }
`);

type Member = FragmentOf<typeof personFragment>;

export function NewGroup({ userId }: { userId: string }) {
  const [name, setName] = useState("");
  const [members, setMembers] = useState<Member[]>([]);
  const { data, previousData, error, refetch } = useQuery(peopleQuery, { variables: { name: name || null } });
  const [create] = useMutation(createMutation);
  const { keyOf } = useIdempotencyKey();
  // While the next ones are on their way, those for the letters before stay.
  const people = (data ?? previousData)?.usersConnection?.nodes;
  if (!people) return <Waiting error={error} retry={refetch} />;
  const isMember = ({ id }: Member) => members.some((member) => member.id === id);
  const offered = people.filter((person) => person.id !== userId && !isMember(person));

  async function act({ title }: Record<string, string>) {
    const chat = { title: title || null, memberIds: members.map(({ id }) => id) };
    const { data } = await create({ variables: { ...chat, idempotencyKey: keyOf(chat) } });
    if (data?.createChat) goTo("chats", data.createChat.id);
  }

  return (
    <>
      <title>New group</title>
      <h1>New group</h1>
      <Form submit="Begin the chat" act={act}>
        <Field
          name="title"
          label="Title"
          hint="Without one, the group is called by its members’ names."
          maxLength={100}
        />
        <Field
          name="person"
          label="Find people"
          type="search"
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <fieldset>
          <legend>Members</legend>
          {[...members, ...offered].map((person) => (
            <label key={person.id} className="person">
              <input
                type="checkbox"
                checked={isMember(person)}
                required={members.length === 0}
                onChange={({ currentTarget }) =>
                  setMembers(
                    currentTarget.checked ? [...members, person] : members.filter(({ id }) => id !== person.id),
                  )
                }
              />
              <Avatar person={person} />
              {person.name}
            </label>
          ))}
        </fieldset>
      </Form>
    </>
  );
}
