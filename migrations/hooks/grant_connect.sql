-- db:reset revokes all rights on the new database from public. The API's login needs to connect.
grant connect on database ":DATABASE_NAME" to :API_LOGIN;
