/**
 * @generated SignedSource<<8df7fe87fd762373c94fc99f8509a0a5>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ConcreteRequest } from 'relay-runtime';
export type PostStatus = "DRAFT" | "PUBLISHED";
export type CreatePostInput = {
  content: string;
  excerpt?: string | null | undefined;
  publishAt?: string | null | undefined;
  status?: PostStatus | null | undefined;
  tags?: ReadonlyArray<string> | null | undefined;
  title: string;
};
export type AppCreateMutation$variables = {
  connections: ReadonlyArray<string>;
  input: CreatePostInput;
};
export type AppCreateMutation$data = {
  readonly createPost: {
    readonly id: string;
    readonly title: string;
  } | null | undefined;
};
export type AppCreateMutation = {
  response: AppCreateMutation$data;
  variables: AppCreateMutation$variables;
};

const node: ConcreteRequest = (function(){
var v0 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "connections"
},
v1 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "input"
},
v2 = [
  {
    "kind": "Variable",
    "name": "input",
    "variableName": "input"
  }
],
v3 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
},
v4 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "title",
  "storageKey": null
};
return {
  "fragment": {
    "argumentDefinitions": [
      (v0/*:: as any*/),
      (v1/*:: as any*/)
    ],
    "kind": "Fragment",
    "metadata": null,
    "name": "AppCreateMutation",
    "selections": [
      {
        "alias": null,
        "args": (v2/*:: as any*/),
        "concreteType": "Post",
        "kind": "LinkedField",
        "name": "createPost",
        "plural": false,
        "selections": [
          (v3/*:: as any*/),
          (v4/*:: as any*/)
        ],
        "storageKey": null
      }
    ],
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [
      (v1/*:: as any*/),
      (v0/*:: as any*/)
    ],
    "kind": "Operation",
    "name": "AppCreateMutation",
    "selections": [
      {
        "alias": null,
        "args": (v2/*:: as any*/),
        "concreteType": "Post",
        "kind": "LinkedField",
        "name": "createPost",
        "plural": false,
        "selections": [
          (v3/*:: as any*/),
          (v4/*:: as any*/),
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "nodeId",
            "storageKey": null
          }
        ],
        "storageKey": null
      },
      {
        "alias": null,
        "args": (v2/*:: as any*/),
        "filters": null,
        "handle": "prependNode",
        "key": "",
        "kind": "LinkedHandle",
        "name": "createPost",
        "handleArgs": [
          {
            "kind": "Variable",
            "name": "connections",
            "variableName": "connections"
          },
          {
            "kind": "Literal",
            "name": "edgeTypeName",
            "value": "PostEdge"
          }
        ]
      }
    ]
  },
  "params": {
    "cacheID": "18101000a20632fc030e1239006ba30a",
    "id": null,
    "metadata": {},
    "name": "AppCreateMutation",
    "operationKind": "mutation",
    "text": "mutation AppCreateMutation(\n  $input: CreatePostInput!\n) {\n  createPost(input: $input) {\n    id\n    title\n    nodeId\n  }\n}\n"
  }
};
})();

(node as any).hash = "9d752326a2900c4f56740489d49cbafc";

export default node;
