/**
 * @generated SignedSource<<56691471e5c891822c595abfc530eb62>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ConcreteRequest } from 'relay-runtime';
export type AppCommentDeletedSubscription$variables = {
  after?: string | null | undefined;
  postId: string;
};
export type AppCommentDeletedSubscription$data = {
  readonly commentDeleted: {
    readonly deletedNodeId: string | null | undefined;
    readonly id: string;
  } | null | undefined;
};
export type AppCommentDeletedSubscription = {
  response: AppCommentDeletedSubscription$data;
  variables: AppCommentDeletedSubscription$variables;
};

const node: ConcreteRequest = (function(){
var v0 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "after"
},
v1 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "postId"
},
v2 = [
  {
    "kind": "Variable",
    "name": "after",
    "variableName": "after"
  },
  {
    "kind": "Variable",
    "name": "postId",
    "variableName": "postId"
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
  "name": "deletedNodeId",
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
    "name": "AppCommentDeletedSubscription",
    "selections": [
      {
        "alias": null,
        "args": (v2/*:: as any*/),
        "concreteType": "DeletedRecord",
        "kind": "LinkedField",
        "name": "commentDeleted",
        "plural": false,
        "selections": [
          (v3/*:: as any*/),
          (v4/*:: as any*/)
        ],
        "storageKey": null
      }
    ],
    "type": "Subscription",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [
      (v1/*:: as any*/),
      (v0/*:: as any*/)
    ],
    "kind": "Operation",
    "name": "AppCommentDeletedSubscription",
    "selections": [
      {
        "alias": null,
        "args": (v2/*:: as any*/),
        "concreteType": "DeletedRecord",
        "kind": "LinkedField",
        "name": "commentDeleted",
        "plural": false,
        "selections": [
          (v3/*:: as any*/),
          (v4/*:: as any*/),
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
    "cacheID": "9a250acfbeba9ee0436d6f6824dfee02",
    "id": null,
    "metadata": {},
    "name": "AppCommentDeletedSubscription",
    "operationKind": "subscription",
    "text": "subscription AppCommentDeletedSubscription(\n  $postId: ID!\n  $after: ID\n) {\n  commentDeleted(postId: $postId, after: $after) {\n    id\n    deletedNodeId\n  }\n}\n"
  }
};
})();

(node as any).hash = "f12e0ad7784012fbc6b162609e4c51b7";

export default node;
