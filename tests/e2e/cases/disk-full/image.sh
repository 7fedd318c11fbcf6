systemctl --root="$ROOT" enable etc-default.mount fill.service
