-- A database that `db:reset` has made is closed to everybody but its owner.
grant connect on database ":DATABASE_NAME" to :API_LOGIN;
