@p = global ptr blockaddress(@f, %a)
