/**
 * @generated SignedSource<<a2dc6793616c1eba5bf8021839c65373>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ConcreteRequest } from 'relay-runtime';
export type AppDeleteMutation$variables = {
  id: string;
};
export type AppDeleteMutation$data = {
  readonly deletePost: {
    readonly deletedNodeId: string | null | undefined;
  } | null | undefined;
};
export type AppDeleteMutation = {
  response: AppDeleteMutation$data;
  variables: AppDeleteMutation$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "id"
  }
],
v1 = [
  {
    "kind": "Variable",
    "name": "id",
    "variableName": "id"
  }
],
v2 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "deletedNodeId",
  "storageKey": null
};
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "AppDeleteMutation",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": "DeleteResult",
        "kind": "LinkedField",
        "name": "deletePost",
        "plural": false,
        "selections": [
          (v2/*:: as any*/)
        ],
        "storageKey": null
      }
    ],
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "AppDeleteMutation",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": "DeleteResult",
        "kind": "LinkedField",
        "name": "deletePost",
        "plural": false,
        "selections": [
          (v2/*:: as any*/),
          {
            "alias": null,
            "args": null,
            "filters": null,
            "handle": "deleteRecord",
            "key": "",
            "kind": "ScalarHandle",
            "name": "deletedNodeId"
          }
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "cacheID": "50284eb87d7f84df9cfe2227354231dd",
    "id": null,
    "metadata": {},
    "name": "AppDeleteMutation",
    "operationKind": "mutation",
    "text": "mutation AppDeleteMutation(\n  $id: ID!\n) {\n  deletePost(id: $id) {\n    deletedNodeId\n  }\n}\n"
  }
};
})();

(node as any).hash = "63cfb3758866ea60f62c0511489f17bb";

export default node;
