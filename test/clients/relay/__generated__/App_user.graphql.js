/**
 * @generated SignedSource<<5f27951aff63be70356a8f74d26e53b1>>
 * @lightSyntaxTransform
 */

/* eslint-disable */

'use strict';

import AppUserQuery_graphql from './AppUserQuery.graphql';

var node = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": {
    "refetch": {
      "connection": null,
      "fragmentPathInResult": [
        "node"
      ],
      "operation": AppUserQuery_graphql,
      "identifierInfo": {
        "identifierField": "nodeId",
        "identifierQueryVariableName": "nodeId"
      }
    }
  },
  "name": "App_user",
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "bio",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "nodeId",
      "storageKey": null
    }
  ],
  "type": "User",
  "abstractKey": null
};

node.hash = "a578658a9873f4829ca60b3f4a70c412";

export default node;
